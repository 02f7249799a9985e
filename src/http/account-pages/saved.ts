// Account → Saved: the list with what is new in each, and looking at it.

import type { SavedSearch } from '../../accounts/saved-searches.ts';
import { figuresOf } from '../../analysis/saved-figures.ts';
import { ServiceError } from '../../errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { SAVED_PAGE } from '../addresses/feeds.ts';
import { plainSearch, searchAddress } from '../addresses/search.ts';
import { callerName } from '../caller-name.ts';
import { tooManyRequests } from '../rate-limit.ts';
import type { Site } from '../site/respond.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, idParameter, type PrivateVisit } from './answer.ts';
import { accountPage } from './frame.ts';
import { savedList } from './saved-views.ts';

export async function showSaved(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { site, accounts } = context;
  const saved = accounts.saved.list(visit.viewer.accountId);
  using _ = await turnOfSaved(site, visit);
  const figures = await figuresOf(site.analysis, saved, visit.signal);
  const body = savedList({ saved, figures, formToken: visit.formToken });
  return { kind: 'page', page: accountPage(visit, SAVED_PAGE, 'Saved searches', body) };
}

/** A place at work; counts as a search of the account. Throws `too_many_requests`, `busy`. */
export function turnOfSaved(
  { accountLimiter, admission }: Site,
  { viewer, signal }: PrivateVisit,
): Promise<Disposable> {
  const caller = callerName(viewer);
  const allowance = accountLimiter?.take(caller);
  if (allowance !== undefined && !allowance.allowed) throw tooManyRequests(allowance);
  return admission.enter({ caller, sort: SAVED_PAGE, signal });
}

/**
 * Notes that what the list showed as new is looked at, and leads to it. What came in while the list was open is new
 * the next time. null: the account has no such saved search.
 */
export function lookAtSaved({ accounts }: AccountContext, visit: PrivateVisit): Answer | null {
  const saved = accounts.saved.of(visit.viewer.accountId, idParameter(visit));
  if (saved === null) return null;
  accounts.saved.noteSeen(visit.viewer.accountId, saved.id, arrivalField(visit, 'arrival'));
  return { kind: 'redirect', to: addressOfSaved(saved, saved.seen) };
}

/** The same of all, without looking. */
export function seeAllSaved({ accounts }: AccountContext, visit: PrivateVisit): Answer {
  const { accountId } = visit.viewer;
  const arrivals = Object.fromEntries(KINDS.map((kind) => [kind, arrivalField(visit, kind)])) as Record<
    Kind,
    number
  >;
  for (const { id, kind } of accounts.saved.list(accountId)) {
    accounts.saved.noteSeen(accountId, id, arrivals[kind]);
  }
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-seen' };
}

/** `since`: only what came in behind this arrival; null: all. */
export function addressOfSaved({ query, kind, order }: SavedSearch, since: number | null): string {
  return searchAddress({ ...plainSearch(query, kind), order, since });
}

/** 0 if the form has none. Throws `malformed_request`. */
function arrivalField({ field }: PrivateVisit, name: string): number {
  const text = field(name);
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('malformed_request', `field \`${name}\`: expected an arrival, found something else`);
}
