// The line above results of communities for adults: their texts are folded, and all of the page open at once.

import { settingsAddress } from '../addresses/pages.ts';
import { type SearchState, searchAddress } from '../addresses/search.ts';
import { type Html, html } from './html.ts';
import type { Frame } from './layout.ts';
import { type AnyRecord, textOf } from './record-parts.ts';

/** Whether the texts of communities for adults are shown: on this page, or on every one by the settings. */
export function showsAdult({ settings }: Frame, { adult }: Pick<SearchState, 'adult'>): boolean {
  return adult === 'shown' || settings.adult === 'shown';
}

/** null where no such text would be on the page, or where they are always shown. */
export function adultLine(frame: Frame, state: SearchState, records: readonly AnyRecord[]): Html | null {
  const isThere = records.some((record) => record.subreddit.nsfw && textOf(record).trim() !== '');
  if (!isThere || state.show === 'titles' || frame.settings.adult === 'shown') return null;
  const other = searchAddress({ ...state, adult: state.adult === 'shown' ? 'folded' : 'shown' });
  return html`<p class="adultline">${
    state.adult === 'shown'
      ? html`Texts of communities for adults are shown on this page. <a href="${other}">Fold them</a>`
      : html`Texts of communities for adults are folded. <a href="${other}">Show them on this page</a>`
  } <a href="${settingsAddress(frame.here)}">Settings</a></p>`;
}
