// Words for a kind of record that cannot be read at the moment.

import type { IndexDamage } from '../../model/damage.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type Html, html } from './html.ts';

const NAMES: Readonly<Record<Kind, string>> = { post: 'Posts', comment: 'Comments' };

/** `Posts cannot be read at the moment.` */
export function damageWords(kind: Kind): string {
  return `${NAMES[kind]} cannot be read at the moment.`;
}

/** A line for each kind that cannot be read; null: both can. */
export function damageNotice(damages: Readonly<Record<Kind, IndexDamage | null>>): Html | null {
  const out = KINDS.filter((kind) => damages[kind] !== null);
  if (out.length === 0) return null;
  return html`<p class="hintline" role="status">${out.map(damageWords).join(' ')} ${out.length === 1 ? 'The rest of the site works.' : ''} The server’s operator can find the reason in its log.</p>`;
}
