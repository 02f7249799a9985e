// Rows of a breakdown: each narrows the search to its value, or leaves it out.

import type { Breakdown, NameField } from '../../model/engine.ts';
import { rowItem, rowQueries } from '../../search/edit-query.ts';
import { type Html, html } from './html.ts';

/** Where the name of a row leads, and where its "not" does; null if there is nothing to lead to. */
export interface RowLinks {
  /** null if no query can contain the name. */
  readonly include: (name: string) => string | null;
  /** null also if nothing would be found. */
  readonly exclude: (name: string) => string | null;
}

/** With a tint behind the row. `part`: how wide it is, 0 to 1; 0: there is none. */
export function nameCell(shown: Html, address: string | null, part: number): Html {
  return html`<th scope="row">${part === 0 ? null : html`<svg class="tint" width="${width(part)}%" aria-hidden="true"><rect width="100%" height="100%"/></svg>`}${address === null ? shown : html`<a href="${address}">${shown}</a>`}</th>`;
}

/** `name`: what it leaves out, as text. */
export function excludeCell(name: string, address: string | null): Html {
  return html`<td class="not">${address === null ? null : html`<a class="exclude" href="${address}" title="Exclude ${name}"><span aria-hidden="true">not</span><span class="unseen">Exclude <bdi>${name}</bdi></span></a>`}</td>`;
}

/** In percent with one decimal, never invisible. */
function width(part: number): number {
  return Math.max(1, Math.round(part * 1000) / 10);
}

/** Whether nothing would be found without a row: it holds all of the `total` matches. */
export function holdingAll(breakdown: Breakdown | null, total: number): RowAddresses['leavesNothing'] {
  if (total === 0) return () => true;
  const rows = breakdown?.rows.filter(({ count }) => count === total) ?? [];
  const names = new Set(rows.map(({ name }) => name));
  return (name) => names.has(name);
}

interface RowAddresses {
  /** Address of the same search, with the query that a row narrows to. */
  readonly include: (query: string) => string;
  /** Address of the same search, with the query that excludes a row. */
  readonly exclude: (query: string) => string;
  /** Whether nothing would be found without the row. */
  readonly leavesNothing: (name: string) => boolean;
}

/** Where the rows of a breakdown lead. */
export function rowLinks(
  field: NameField,
  items: Parameters<typeof rowQueries>[0],
  { include, exclude, leavesNothing }: RowAddresses,
): RowLinks {
  const queries = rowQueries(items, field === 'community' ? 'community' : 'site');
  return {
    include: (name) => {
      const item = rowItem(field, name);
      return item === null ? null : include(queries.including(item));
    },
    exclude: (name) => {
      if (leavesNothing(name)) return null;
      const item = rowItem(field, name);
      const query = item === null ? null : queries.excluding(item);
      return query === null ? null : exclude(query);
    },
  };
}
