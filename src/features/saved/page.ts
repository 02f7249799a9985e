// Account → Saved: lists saved searches with their news, and adds, opens, renames and removes them; makes their feeds.

import type { FastifyInstance } from 'fastify';
import { ServiceError, UsageError } from '../../errors.ts';
import { readFirst } from '../../http/addresses.ts';
import {
  type Answer,
  accountPage,
  addPrivatePages,
  type ExchangeContext,
  idParameter,
  type PageAnswer,
  type PrivateRoute,
  type PrivateVisit,
  UsedOnce,
  withForms,
} from '../../http/site/exchange.ts';
import type { Site } from '../../http/site/site.ts';
import { errorSentence } from '../../http/views/error-page.ts';
import { type Faults, faults, hasFaults, NO_FAULTS, nameFault } from '../../http/views/html.ts';
import { ORDERS } from '../../model/pages.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { orGiveUp } from '../../search/search-service.ts';
import { oneLine } from '../../text/quoted.ts';
import { NEW_SAVED_PAGE, NO_FEED_HOST, SAVED_PAGE, tagHost } from './addresses.ts';
import { addPublicFeedRoutes } from './feed-routes.ts';
import { figuresOf } from './operation.ts';
import { OLDER_CHOICES, type SavedSearch, type SavedSearches, savedOf } from './store.ts';
import { addressOfSaved, type NewSavedForm, newSavedForm, savedList, savedView } from './views.ts';

interface SavedContext extends ExchangeContext {
  readonly searches: SavedSearches;
  readonly publicUrl: string | null;
  readonly usedForms: UsedOnce;
}

const ROUTES: Readonly<Record<string, PrivateRoute<SavedContext>>> = {
  [SAVED_PAGE]: { show: showSaved },
  [NEW_SAVED_PAGE]: { show: showNewSaved, change: addSaved },
  [`${SAVED_PAGE}/all/seen`]: { change: seeAllSaved },
  [`${SAVED_PAGE}/:id`]: { show: ofOne(onePage), change: ofOne(renameSaved) },
  [`${SAVED_PAGE}/:id/look`]: { change: ofOne(lookAtSaved) },
  [`${SAVED_PAGE}/:id/feed`]: { change: ofOne(changeFeed) },
  [`${SAVED_PAGE}/:id/remove`]: { change: ofOne(removeSaved) },
};

/** Hands on the saved search of the address. null: the account has none with this id. */
function ofOne(answer: (context: SavedContext, visit: PrivateVisit, saved: SavedSearch) => Answer) {
  return (context: SavedContext, visit: PrivateVisit) => {
    const saved = context.searches.of(visit.viewer.accountId, idParameter(visit));
    return saved === null ? null : answer(context, visit, saved);
  };
}

const NOTICES = {
  'saved-added': 'The search is saved.',
  'saved-renamed': 'The saved search has been renamed.',
  'saved-removed': 'The saved search and its feed have been removed.',
  'saved-seen': 'All results are marked as seen.',
  'feed-made-already': 'That form was sent twice. The first address is the one that works.',
  'feed-revoked': 'The feed has been revoked. Nobody can read it any more.',
  'feed-set': 'The feed has been changed.',
} as const;

export function addPages(server: FastifyInstance, site: Site): void {
  addPublicFeedRoutes(server, site);
  const { accounts, config } = site.archive;
  const own = { searches: savedOf(accounts), publicUrl: config.publicUrl, usedForms: new UsedOnce() };
  const context = { site, notices: NOTICES, ...own };
  withForms(server, (scope) => addPrivatePages(scope, context, ROUTES));
}

async function showSaved(context: SavedContext, visit: PrivateVisit): Promise<Answer> {
  const { site, searches } = context;
  const saved = searches.list(visit.viewer.accountId);
  visit.limitSearches();
  using _ = await visit.turn();
  const figures = await figuresOf(site.archive, saved, visit.signal);
  const body = savedList(saved, figures, visit.viewer.formToken);
  return accountPage(visit, SAVED_PAGE, 'Saved searches', body);
}

/** Marks the news in the list as seen, and redirects to it. Records that arrived while the list was open stay new. */
function lookAtSaved({ searches }: SavedContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  searches.noteSeen(visit.viewer.accountId, saved.id, arrivalField(visit, 'arrival'));
  return { kind: 'redirect', to: addressOfSaved(saved, saved.seen) };
}

function seeAllSaved({ searches }: SavedContext, visit: PrivateVisit): Answer {
  const { accountId } = visit.viewer;
  const arrivals = { post: arrivalField(visit, 'post'), comment: arrivalField(visit, 'comment') };
  for (const { id, kind } of searches.list(accountId)) searches.noteSeen(accountId, id, arrivals[kind]);
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-seen' };
}

const NAME_OF_QUERY = 60;

function showNewSaved(context: SavedContext, visit: PrivateVisit): Answer {
  const given = readFirst(visit.here);
  const query = given.get('query') ?? '';
  const name = oneLine(query, NAME_OF_QUERY) || 'Everything';
  const [kind, order] = [given.get('kind') ?? KIND_NAMES.post, given.get('order_by') ?? 'newest'];
  const under = given.get('under') ?? '';
  return newPage(context, visit, { name, query, under, kind, order, faults: NO_FAULTS });
}

async function addSaved(context: SavedContext, visit: PrivateVisit): Promise<Answer> {
  const { viewer } = visit;
  const form = {
    ...{ name: visit.field('name'), query: visit.field('query'), under: visit.field('under') },
    ...{ kind: visit.field('kind'), order: visit.field('order_by') },
  };
  const refused = (found: Faults) => newPage(context, visit, { ...form, faults: found });
  const kind = KINDS.find((one) => KIND_NAMES[one] === form.kind);
  const order = ORDERS.find((one) => one === form.order);
  const { echo, fault } = readQuery(form.query);
  const below = kind === 'post' ? NO_QUERY : readQuery(form.under);
  const found = faults({
    name: nameFault(form.name, 'Give the search a name, such as “inverters”'),
    query: fault,
    under: below.fault,
    kind: kind === undefined ? 'Choose posts or comments' : undefined,
    order_by: order === undefined ? 'Choose an order' : undefined,
  });
  if (hasFaults(found) || kind === undefined || order === undefined) return refused(found);
  const hasFeed = visit.field('feed') !== '';
  if (hasFeed && !context.usedForms.use(viewer.accountId, visit.field('once'))) {
    return { kind: 'redirect', to: SAVED_PAGE, notice: 'feed-made-already' };
  }
  try {
    const seen = await lastArrival(context, visit, kind);
    const wish = { name: form.name, kind, query: echo, under: below.echo || null, order };
    const saved = context.searches.add(viewer.accountId, wish, seen);
    if (hasFeed) return makeFeed(context, visit, saved);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refused({ form: 'You have as many saved searches as an account can have. Remove one first' });
  }
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-added' };
}

function renameSaved(context: SavedContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  const name = visit.field('name');
  const found = faults({ name: nameFault(name, 'Give the search a name, such as “inverters”') });
  if (hasFaults(found)) return onePage(context, visit, saved, found);
  context.searches.rename(visit.viewer.accountId, saved.id, name);
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-renamed' };
}

function removeSaved(context: SavedContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  const { accountId: account } = visit.viewer;
  context.searches.remove(account, saved.id);
  const event = { security: 'feed_revoked', account, saved: saved.id } as const;
  return { kind: 'redirect', to: SAVED_PAGE, notice: 'saved-removed', ...(saved.feed !== null && { event }) };
}

/** Only the answer to the form shows the address of the feed: the token is not stored. */
function changeFeed(context: SavedContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  const { viewer } = visit;
  const here = `${SAVED_PAGE}/${saved.id}`;
  const { accountId: account } = viewer;
  switch (visit.field('do')) {
    case 'make':
    case 'renew':
      if (!context.usedForms.use(account, visit.field('once'))) {
        return { kind: 'redirect', to: here, notice: 'feed-made-already' };
      }
      return makeFeed(context, visit, saved);
    case 'revoke': {
      context.searches.revokeFeed(account, saved.id);
      const event = { security: 'feed_revoked', account, saved: saved.id } as const;
      return { kind: 'redirect', to: here, notice: 'feed-revoked', event };
    }
    case 'older': {
      const older = OLDER_CHOICES.find((choice) => choice === visit.field('older'));
      if (older === undefined) break;
      context.searches.setOlder(account, saved.id, older);
      return { kind: 'redirect', to: here, notice: 'feed-set' };
    }
  }
  return onePage(context, visit, saved, { form: 'Choose what to do with the feed' });
}

/** 0 if the form has none. Throws `malformed_request`. */
function arrivalField(visit: PrivateVisit, name: string): number {
  const text = visit.field(name);
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('malformed_request', `field \`${name}\`: expected an arrival, found something else`);
}

function makeFeed(context: SavedContext, visit: PrivateVisit, saved: SavedSearch): Answer {
  const { searches, publicUrl } = context;
  if (publicUrl === null || tagHost(publicUrl) === null) {
    return onePage(context, visit, saved, { form: `No feed can be made here: ${NO_FEED_HOST}` });
  }
  const { accountId: account } = visit.viewer;
  const token = searches.makeFeed(account, saved.id)!;
  const now = searches.of(account, saved.id)!;
  const page = onePage(context, visit, now, NO_FAULTS, { token, publicUrl });
  return { ...page, event: { security: 'feed_made', account, saved: saved.id } };
}

/** A new saved search counts records up to here as seen. null: unknown at the moment. */
async function lastArrival({ site }: SavedContext, visit: PrivateVisit, kind: Kind): Promise<number | null> {
  const { engine, config } = site.archive;
  visit.limitSearches();
  using _ = await visit.turn();
  await engine.refresh();
  // Matches nothing: only the view is needed.
  const { query } = interpretWithoutWindow('after:9999-12-31');
  const answer = await orGiveUp(engine.ask({ kind, query, timeoutMs: config.queryTimeoutMs }, visit.signal));
  return answer?.arrival ?? null;
}

const NO_QUERY = { echo: '', fault: undefined };

function readQuery(text: string): { readonly echo: string; readonly fault?: string } {
  try {
    return { echo: interpretWithoutWindow(text).echo };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { echo: '', fault: errorSentence(error, text).replaceAll('`', '') };
  }
}

function newPage(
  { usedForms, publicUrl }: SavedContext,
  visit: PrivateVisit,
  given: Omit<NewSavedForm, 'number' | 'canHaveFeed'>,
): PageAnswer {
  const form = { ...given, number: usedForms.newNumber(), canHaveFeed: tagHost(publicUrl) !== null };
  const body = newSavedForm(form, visit.viewer.formToken);
  return accountPage(visit, SAVED_PAGE, 'Save a search', body, form.faults);
}

function onePage(
  { usedForms, publicUrl }: SavedContext,
  visit: PrivateVisit,
  saved: SavedSearch,
  found = NO_FAULTS,
  made: { readonly token: string; readonly publicUrl: string } | null = null,
): PageAnswer {
  const view = {
    ...{ saved, made, faults: found },
    number: usedForms.newNumber(),
    noFeed: tagHost(publicUrl) === null ? NO_FEED_HOST : null,
  };
  const body = savedView(view, visit.viewer.formToken);
  return accountPage(visit, SAVED_PAGE, `“${saved.name}”`, body, found);
}
