// The routes of the account pages.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BUSY_RETRY_AFTER } from '../../accounts/gate.ts';
import { refusesHash } from '../../accounts/password.ts';
import { ServiceError } from '../../errors.ts';
import { NEW_SAVED_PAGE, SAVED_PAGE } from '../addresses/feeds.ts';
import { KEYS_PATH, REGISTER_PATH, SIGN_IN_PATH } from '../addresses/pages.ts';
import {
  addFormParser,
  addPageForm,
  addPageRead,
  type FormOptions,
  type Handler,
} from '../site/page-paths.ts';
import { html } from '../views/html.ts';
import type { AccountContext, AccountPageDeps } from './account-context.ts';
import { newKeyLimit, PasswordAttempts, registrationLimit } from './attempts.ts';
import {
  type PrivateHandler,
  privateChange,
  privateShow,
  send,
  type VisitorHandler,
  visitorChange,
  visitorShow,
} from './exchange.ts';
import { READ_ONLY, UsedOnce } from './forms.ts';
import { formPage } from './frame.ts';
import { HalfSessions, OfferedSecrets } from './half-sessions.ts';
import { createKey, revokeKey, showKeys, showRevoke } from './keys.ts';
import { AccountBrake, KnownBrowsers, KnownTurns } from './known-browsers.ts';
import { deleteAccount, exportAccount, showLeave } from './leave.ts';
import { changePassword, showProfile } from './profile.ts';
import { register, showLink, showRegister, useLink } from './register.ts';
import {
  addSaved,
  changeFeed,
  lookAtSaved,
  removeSaved,
  renameSaved,
  seeAllSaved,
  showNewSaved,
  showOneSaved,
  showSaved,
} from './saved.ts';
import { changeSecondFactor, SECOND_FACTOR_PATH, showSecondFactor } from './second-factor.ts';
import { endOtherSessions, endSession, showEnd, showEndOthers, showSessions } from './sessions.ts';
import { CODE_PATH, returnPath, showSignIn, signIn, signOut } from './sign-in.ts';
import { showCode, takeCode } from './sign-in-code.ts';

/** More than twice the longest form: an address and two passwords of 200 characters, percent-encoded. */
export const MAX_ACCOUNT_FORM_BYTES = 16_384;

interface VisitorRoute {
  readonly show: VisitorHandler;
  readonly change: VisitorHandler;
  /** Whether the change hashes a password; absent: it does. */
  readonly takesPassword?: boolean;
}

interface PrivateRoute {
  /** Absent: the path takes only POST. */
  readonly show?: PrivateHandler;
  readonly change?: PrivateHandler;
  /** Whether the change checks a password. */
  readonly takesPassword?: boolean;
}

/** Pages of no use to somebody who is signed in, who is redirected. */
const ENTRANCES: Readonly<Record<string, VisitorRoute>> = {
  [SIGN_IN_PATH]: { show: showSignIn, change: signIn },
  [CODE_PATH]: { show: showCode, change: takeCode, takesPassword: false },
  [REGISTER_PATH]: { show: showRegister, change: register },
};

const LINKS: Readonly<Record<string, VisitorRoute>> = {
  '/account/link/:link': { show: showLink, change: useLink },
};

const PRIVATE: Readonly<Record<string, PrivateRoute>> = {
  '/sign-out': { change: signOut },
  '/account': { show: showProfile, change: changePassword, takesPassword: true },
  [SECOND_FACTOR_PATH]: { show: showSecondFactor, change: changeSecondFactor, takesPassword: true },
  [KEYS_PATH]: { show: showKeys, change: createKey },
  [`${KEYS_PATH}/:id/revoke`]: { show: showRevoke, change: revokeKey },
  [SAVED_PAGE]: { show: showSaved },
  [NEW_SAVED_PAGE]: { show: showNewSaved, change: addSaved },
  [`${SAVED_PAGE}/all/seen`]: { change: seeAllSaved },
  [`${SAVED_PAGE}/:id`]: { show: showOneSaved, change: renameSaved },
  [`${SAVED_PAGE}/:id/look`]: { change: lookAtSaved },
  [`${SAVED_PAGE}/:id/feed`]: { change: changeFeed },
  [`${SAVED_PAGE}/:id/remove`]: { change: removeSaved },
  '/account/sessions': { show: showSessions },
  '/account/sessions/:id/end': { show: showEnd, change: endSession, takesPassword: true },
  '/account/sessions/end-others': { show: showEndOthers, change: endOtherSessions, takesPassword: true },
  '/account/export': { show: exportAccount },
  '/account/delete': { show: showLeave, change: deleteAccount, takesPassword: true },
};

/** Register, sign in and out, profile, My API, sessions, export and deletion, one-time links. */
export function addAccountPages(server: FastifyInstance, deps: AccountPageDeps): void {
  const context: AccountContext = {
    ...deps,
    passwords: new PasswordAttempts(deps.now),
    brake: new AccountBrake(deps.now),
    codeBrake: new AccountBrake(deps.now),
    halves: new HalfSessions(deps.site.visitors, deps.now),
    browsers: new KnownBrowsers(deps.accounts, deps.site.visitors, deps.time),
    turns: new KnownTurns(deps.now),
    registrations: registrationLimit(deps.now),
    newKeys: newKeyLimit(deps.now),
    usedForms: new UsedOnce(),
    offered: new OfferedSecrets(deps.now),
  };
  const { isReadOnly } = deps.accounts;
  const bodyLimit = MAX_ACCOUNT_FORM_BYTES;
  const form = (
    scope: FastifyInstance,
    path: string,
    change: Handler,
    onRequest?: FormOptions['onRequest'],
  ) => {
    if (isReadOnly) addPageForm(scope, path, refused(context), { bodyLimit });
    else addPageForm(scope, path, change, { bodyLimit, ...(onRequest && { onRequest }) });
  };
  const opening = (show: Handler) => (isReadOnly ? refused(context) : show);
  server.register(async (scope) => {
    // Only forms: no JSON, no plain text.
    scope.removeAllContentTypeParsers();
    addFormParser(scope);
    const ofKnown = refuseWhileBusy((request) => context.browsers.of(request).length > 0);
    for (const [path, { show, change, takesPassword = true }] of Object.entries(ENTRANCES)) {
      addPageRead(scope, path, entrance(context, opening(visitorShow(context, show))));
      form(scope, path, visitorChange(context, change), takesPassword ? ofKnown : undefined);
    }
    // Whoever has a link was given it by the operator.
    const ofInvited = refuseWhileBusy(() => true);
    for (const [path, { show, change }] of Object.entries(LINKS)) {
      addPageRead(scope, path, opening(visitorShow(context, show)));
      form(scope, path, visitorChange(context, change), ofInvited);
    }
    for (const [path, { show, change, takesPassword }] of Object.entries(PRIVATE)) {
      if (show !== undefined) addPageRead(scope, path, privateShow(context, show));
      if (change === undefined) continue;
      const handler = privateChange(context, change, show !== undefined);
      form(scope, path, handler, takesPassword ? ofKnown : undefined);
    }
  });
}

function entrance(context: AccountContext, show: Handler): Handler {
  return async (request, reply) => {
    if (context.sessions.signedIn(request) === null) return show(request, reply);
    return send(context, request, reply, { kind: 'redirect', to: returnPath(request) });
  };
}

/**
 * Instead of every form, and of pages that are nothing but one, on a server that only reads its data: nobody can
 * sign in, and nothing can be changed. 403.
 */
export function refused(context: AccountContext): Handler {
  const title = 'Not on this server';
  const body = html`<h1>${title}</h1>
<p>${READ_ONLY} That includes signing in, registering and making keys. API keys that exist work.</p>
<p><a class="button" href="/search">Search</a></p>`;
  return (request, reply) =>
    send(context, request, reply, { kind: 'page', status: 403, page: formPage(title, body) });
}

const LINE_IS_FULL = new ServiceError('busy', 'expected room in the line for passwords, found it full', {
  retryAfter: BUSY_RETRY_AFTER,
});

/** For forms with a password: refuses what would find the line full, before its body is read. */
function refuseWhileBusy(isKnown: (request: FastifyRequest) => boolean): FormOptions['onRequest'] {
  return async (request) => {
    if (refusesHash(isKnown(request) ? 'known' : 'strangers')) throw LINE_IS_FULL;
    return undefined;
  };
}
