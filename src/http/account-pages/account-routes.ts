// The routes of the account pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BUSY_RETRY_AFTER } from '../../accounts/gate.ts';
import { refusesHash } from '../../accounts/password.ts';
import { ServiceError } from '../../errors.ts';
import { KEYS_PATH, REGISTER_PATH, SIGN_IN_PATH } from '../addresses/pages.ts';
import { addPageRead, type FormOptions, type Handler } from '../site/page-paths.ts';
import type { AccountContext, AccountPageDeps } from './account-context.ts';
import type { Redirect } from './answer.ts';
import { newKeyLimit, PasswordAttempts, registrationLimit } from './attempts.ts';
import {
  addAccountForm,
  addPrivatePages,
  isReadOnly,
  type PrivateRoute,
  refused,
  send,
  type VisitorHandler,
  visitorChange,
  visitorShow,
  withForms,
} from './exchange.ts';
import { UsedOnce } from './forms.ts';
import { HalfSessions, OfferedSecrets } from './half-sessions.ts';
import { createKey, revokeKey, showKeys, showRevoke } from './keys.ts';
import { AccountBrake, KnownBrowsers, KnownTurns } from './known-browsers.ts';
import { deleteAccount, exportAccount, showLeave } from './leave.ts';
import { changePassword, showProfile } from './profile.ts';
import { register, showLink, showRegister, useLink } from './register.ts';
import { changeSecondFactor, SECOND_FACTOR_PATH, showSecondFactor } from './second-factor.ts';
import { endOtherSessions, endSession, showEnd, showEndOthers, showSessions } from './sessions.ts';
import { CODE_PATH, returnPath, showSignIn, signIn, signOut } from './sign-in.ts';
import { showCode, takeCode } from './sign-in-code.ts';

interface VisitorRoute {
  readonly show: VisitorHandler<AccountContext>;
  readonly change: VisitorHandler<AccountContext>;
  /** Whether the change hashes a password; absent: it does. */
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

const PRIVATE: Readonly<Record<string, PrivateRoute<AccountContext>>> = {
  '/sign-out': { change: signOut },
  '/account': { show: showProfile, change: changePassword, takesPassword: true },
  [SECOND_FACTOR_PATH]: { show: showSecondFactor, change: changeSecondFactor, takesPassword: true },
  [KEYS_PATH]: { show: showKeys, change: createKey },
  [`${KEYS_PATH}/:id/revoke`]: { show: showRevoke, change: revokeKey },
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
    followUp: (request, reply, answer) => followUp(context, request, reply, answer),
  };
  const opening = (show: Handler) => (isReadOnly(context) ? refused(context) : show);
  withForms(server, (scope) => {
    const ofKnown = refuseWhileBusy((request) => context.browsers.of(request).length > 0);
    for (const [path, { show, change, takesPassword = true }] of Object.entries(ENTRANCES)) {
      addPageRead(scope, path, entrance(context, opening(visitorShow(context, show))));
      const handler = visitorChange(context, change);
      addAccountForm(scope, context, path, handler, takesPassword ? ofKnown : undefined);
    }
    // Whoever has a link was given it by the operator.
    const ofInvited = refuseWhileBusy(() => true);
    for (const [path, { show, change }] of Object.entries(LINKS)) {
      addPageRead(scope, path, opening(visitorShow(context, show)));
      addAccountForm(scope, context, path, visitorChange(context, change), ofInvited);
    }
    addPrivatePages(scope, context, PRIVATE, ofKnown);
  });
}

/** Signs in and out, in the browser and in what is kept of it. */
function followUp(
  { sessions, browsers, halves }: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, half, forgotten }: Redirect,
): void {
  if (forgotten !== undefined) browsers.forget(request, reply, forgotten);
  if (half !== undefined) halves.start(request, reply, half);
  if (session === 'end') sessions.forget(request, reply);
  else if (session !== undefined) {
    sessions.start(request, reply, session.start);
    browsers.remember(request, reply, session.start);
    halves.end(request, reply);
  }
}

function entrance(context: AccountContext, show: Handler): Handler {
  return async (request, reply) => {
    if (context.sessions.signedIn(request) === null) return show(request, reply);
    return send(context, request, reply, { kind: 'redirect', to: returnPath(request) });
  };
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
