// Account → Saved: the list with what is new in each, looking at it, a new one, its name, its feed, removing it.

import { OLDER_CHOICES, type SavedSearch } from '../../accounts/saved-searches.ts';
import { figuresOf } from '../../analysis/saved-figures.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { orGiveUp } from '../../search/page/page-parts.ts';
import { oneLine } from '../../text/quoted.ts';
import { NO_FEED_HOST, SAVED_PAGE, tagHost } from '../addresses/feeds.ts';
import { plainSearch, searchAddress } from '../addresses/search.ts';
import { readFirst } from '../addresses/written.ts';
import { tooManyRequests } from '../limits/request-limits.ts';
import { callerName } from '../requests/caller.ts';
import type { Site } from '../site/site.ts';
import type { AccountContext } from './account-context.ts';
import { type Answer, idParameter, type PageAnswer, type PrivateVisit } from './answer.ts';
import { type Faults, faults, hasFaults, NO_FAULTS, nameFault, titleWith } from './forms.ts';
import { accountPage } from './frame.ts';
import { type NewSavedForm, newSavedForm, savedList, savedView } from './saved-views.ts';

export async function showSaved(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { site, accounts } = context;
  const saved = accounts.saved.list(visit.viewer.accountId);
  using _ = await turnOfSaved(site, visit);
  const figures = await figuresOf(site.analysis, saved, visit.signal);
  const body = savedList({ saved, figures, formToken: visit.formToken });
  return { kind: 'page', page: accountPage(visit, SAVED_PAGE, 'Saved searches', body) };
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

/** Characters of a query that the name of a new search begins as. */
const NAME_OF_QUERY = 60;

/** Filled in from the address, by the names that the page for searching has. */
export function showNewSaved(_: AccountContext, visit: PrivateVisit): Answer {
  const given = readFirst(visit.request.raw.url ?? '');
  const query = given.get('query') ?? '';
  const name = oneLine(query, NAME_OF_QUERY) || 'Everything';
  const [kind, order] = [given.get('kind') ?? KIND_NAMES.post, given.get('order_by') ?? 'newest'];
  return newPage(visit, { name, query, kind, order, faults: NO_FAULTS }, 200);
}

export async function addSaved(context: AccountContext, visit: PrivateVisit): Promise<Answer> {
  const { field, viewer } = visit;
  const form = { name: field('name'), query: field('query'), kind: field('kind'), order: field('order_by') };
  const refused = (found: Faults) => newPage(visit, { ...form, faults: found }, 400);
  const kind = KINDS.find((one) => KIND_NAMES[one] === form.kind);
  const order = ORDERS.find((one) => one === form.order);
  const { echo, fault } = readQuery(form.query);
  const found = faults({
    name: nameFault(form.name, 'Give the search a name, such as “inverters”'),
    query: fault,
    kind: kind === undefined ? 'Choose posts or comments' : undefined,
    order_by: order === undefined ? 'Choose an order' : undefined,
  });
  if (hasFaults(found) || kind === undefined || order === undefined) return refused(found);
  try {
    const seen = await lastArrival(context, visit, kind);
    context.accounts.saved.add(viewer.accountId, { name: form.name, kind, query: echo, order }, seen);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refused({ form: 'You have as many saved searches as an account can have. Remove one first' });
  }
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-added' };
}

/** null: the account has no such saved search. */
export function showOneSaved(context: AccountContext, visit: PrivateVisit): Answer | null {
  const saved = own(context, visit);
  return saved === null ? null : onePage(context, visit, saved, NO_FAULTS, 200);
}

export function renameSaved(context: AccountContext, visit: PrivateVisit): Answer | null {
  const saved = own(context, visit);
  if (saved === null) return null;
  const name = visit.field('name');
  const found = faults({ name: nameFault(name, 'Give the search a name, such as “inverters”') });
  if (hasFaults(found)) return onePage(context, visit, saved, found, 400);
  context.accounts.saved.rename(visit.viewer.accountId, saved.id, name);
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-renamed' };
}

export function removeSaved(context: AccountContext, visit: PrivateVisit): Answer | null {
  const saved = own(context, visit);
  if (saved === null) return null;
  const { accountId: account } = visit.viewer;
  context.accounts.saved.remove(account, saved.id);
  const event = { security: 'feed_revoked', account, saved: saved.id } as const;
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-removed', ...(saved.feed !== null && { event }) };
}

/** The answer to the form itself shows the address of the feed: it is in no other, and is not stored. */
export function changeFeed(context: AccountContext, visit: PrivateVisit): Answer | null {
  const saved = own(context, visit);
  if (saved === null) return null;
  const { field, viewer } = visit;
  const here = `${SAVED_PAGE}/${saved.id}`;
  const { accountId: account } = viewer;
  switch (field('do')) {
    case 'make':
    case 'renew':
      if (!context.usedForms.use(account, field('once'))) {
        return { kind: 'redirect', to: here, notice: 'feed-made-already' };
      }
      return makeFeed(context, visit, saved);
    case 'revoke': {
      context.accounts.saved.revokeFeed(account, saved.id);
      const event = { security: 'feed_revoked', account, saved: saved.id } as const;
      return { kind: 'redirect', to: here, notice: 'feed-revoked', event };
    }
    case 'older': {
      const older = OLDER_CHOICES.find((choice) => choice === field('older'));
      if (older === undefined) break;
      context.accounts.saved.setOlder(account, saved.id, older);
      return { kind: 'redirect', to: here, notice: 'feed-set' };
    }
  }
  return onePage(context, visit, saved, { form: 'Choose what to do with the feed' }, 400);
}

/** A place at work; counts as a search of the account. Throws `too_many_requests`, `busy`. */
function turnOfSaved(
  { accountLimiter, admission }: Site,
  { viewer, signal }: PrivateVisit,
): Promise<Disposable> {
  const caller = callerName(viewer);
  const allowance = accountLimiter?.take(caller);
  if (allowance !== undefined && !allowance.allowed) throw tooManyRequests(allowance);
  return admission.enter({ caller, sort: SAVED_PAGE, signal });
}

/** 0 if the form has none. Throws `malformed_request`. */
function arrivalField({ field }: PrivateVisit, name: string): number {
  const text = field(name);
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('malformed_request', `field \`${name}\`: expected an arrival, found something else`);
}

/** `since`: only what came in behind this arrival; null: all. */
function addressOfSaved({ query, kind, order }: SavedSearch, since: number | null): string {
  return searchAddress({ ...plainSearch(query, kind), order, since });
}

function makeFeed(context: AccountContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  const { accounts, publicUrl } = context;
  if (publicUrl === null || tagHost(publicUrl) === null)
    return onePage(context, visit, saved, noFeedFault(), 400);
  const { accountId: account } = visit.viewer;
  const token = accounts.saved.makeFeed(account, saved.id)!;
  const now = accounts.saved.of(account, saved.id)!;
  const page = onePage(context, visit, now, NO_FAULTS, 200, { token, publicUrl });
  return { ...page, event: { security: 'feed_made', account, saved: saved.id } };
}

function noFeedFault(): Faults {
  return { form: `No feed can be made here: ${NO_FEED_HOST}` };
}

function own({ accounts }: AccountContext, visit: PrivateVisit): SavedSearch | null {
  return accounts.saved.of(visit.viewer.accountId, idParameter(visit));
}

/** What is there when it is saved is not new. null: it cannot be told at the moment. */
async function lastArrival(
  { site }: AccountContext,
  visit: PrivateVisit,
  kind: SavedSearch['kind'],
): Promise<number | null> {
  const { engine, queryTimeoutMs: timeoutMs } = site.analysis;
  using _ = await turnOfSaved(site, visit);
  await engine.refresh();
  // Nothing is so late: the view alone is wanted.
  const { query } = interpretWithoutWindow('after:9999-12-31');
  const answer = await orGiveUp(engine.ask({ kind, query, timeoutMs }, visit.signal));
  return answer?.arrival ?? null;
}

function readQuery(text: string): { readonly echo: string; readonly fault?: string } {
  try {
    return { echo: interpretWithoutWindow(text).echo };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { echo: '', fault: `Query: ${error.message}` };
  }
}

function newPage(visit: PrivateVisit, form: NewSavedForm, status: number): PageAnswer {
  const title = titleWith(form.faults, 'Save a search');
  return {
    kind: 'page',
    status,
    page: accountPage(visit, SAVED_PAGE, title, newSavedForm(form, visit.formToken)),
  };
}

function onePage(
  { usedForms, publicUrl }: AccountContext,
  visit: PrivateVisit,
  saved: SavedSearch,
  found: Faults,
  status: number,
  made: { readonly token: string; readonly publicUrl: string } | null = null,
): PageAnswer {
  const view = {
    ...{ saved, made, faults: found },
    address: addressOfSaved(saved, null),
    number: usedForms.newNumber(),
    noFeed: tagHost(publicUrl) === null ? NO_FEED_HOST : null,
  };
  const title = titleWith(found, `“${saved.name}”`);
  return {
    kind: 'page',
    status,
    page: accountPage(visit, SAVED_PAGE, title, savedView(view, visit.formToken)),
  };
}
