// The routes of the account pages: register, sign in and out, profile, My API, sessions, export and deletion, one-time
// links.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import {
  addAccountForm,
  addPrivatePages,
  isReadOnly,
  ownFormOnly,
  type PrivateRoute,
  type Result,
  refused,
  send,
  UsedOnce,
  type Visit,
  visitOf,
  withForms,
} from '../../http/site/exchange.ts';
import { addPageRead, type FormOptions, formField, type Handler } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { TOKEN_FIELD } from '../../http/views/html.ts';
import {
  CODE_PATH,
  DELETE_PATH,
  EXPORT_PATH,
  KEYS_PATH,
  LINK_PATH,
  PROFILE_PATH,
  REGISTER_PATH,
  SECOND_FACTOR_PATH,
  SESSIONS_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
} from './addresses.ts';
import { newKeyLimit, PasswordAttempts, registrationLimit } from './attempts.ts';
import { credentialsOf } from './credentials.ts';
import {
  register,
  returnPath,
  showCode,
  showLink,
  showRegister,
  showSignIn,
  signIn,
  signOut,
  takeCode,
  useLink,
} from './entering.ts';
import { createKey, revokeKey, showKeys, showRevoke } from './keys.ts';
import { AccountBrake, KnownBrowsers, KnownTurns } from './known-browsers.ts';
import { BUSY_RETRY_AFTER, refusesHash } from './password.ts';
import { changePassword, deleteAccount, exportAccount, showLeave, showProfile } from './profile.ts';
import type { AccountContext } from './proving.ts';
import { changeSecondFactor, showSecondFactor } from './second-factor.ts';
import { HalfSessions, OfferedSecrets } from './second-factors.ts';
import { endOtherSessions, endSession, showEnd, showEndOthers, showSessions } from './sessions.ts';

type VisitorHandler = (context: AccountContext, visit: Visit) => Result;

interface VisitorRoute {
  readonly show: VisitorHandler;
  readonly change: VisitorHandler;
  /** Whether the change hashes a password; absent: it does. */
  readonly takesPassword?: boolean;
}

/** Signed-in people are redirected from these pages. */
const ENTRANCES: Readonly<Record<string, VisitorRoute>> = {
  [SIGN_IN_PATH]: { show: showSignIn, change: signIn },
  [CODE_PATH]: { show: showCode, change: takeCode, takesPassword: false },
  [REGISTER_PATH]: { show: showRegister, change: register },
};

const LINKS: Readonly<Record<string, VisitorRoute>> = {
  [`${LINK_PATH}:link`]: { show: showLink, change: useLink },
};

const PRIVATE: Readonly<Record<string, PrivateRoute<AccountContext>>> = {
  [SIGN_OUT_PATH]: { change: signOut },
  [PROFILE_PATH]: { show: showProfile, change: changePassword, takesPassword: true },
  [SECOND_FACTOR_PATH]: { show: showSecondFactor, change: changeSecondFactor, takesPassword: true },
  [KEYS_PATH]: { show: showKeys, change: createKey },
  [`${KEYS_PATH}/:id/revoke`]: { show: showRevoke, change: revokeKey },
  [SESSIONS_PATH]: { show: showSessions },
  [`${SESSIONS_PATH}/:id/end`]: { show: showEnd, change: endSession, takesPassword: true },
  [`${SESSIONS_PATH}/end-others`]: { show: showEndOthers, change: endOtherSessions, takesPassword: true },
  [EXPORT_PATH]: { show: exportAccount },
  [DELETE_PATH]: { show: showLeave, change: deleteAccount, takesPassword: true },
};

const NOTICES = {
  'signed-out': 'You are signed out.',
  'password-changed': 'Your password has been changed. All other sessions have ended.',
  'key-revoked': 'The key has been revoked. Requests with it are now refused.',
  'key-made-already': 'That form was sent twice. Only one key has been created.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  'account-deleted': 'Your account has been deleted, with its keys, sessions and saved searches.',
  'code-over':
    'Please sign in with your password again. You ran out of time to enter a code, or entered too many wrong ones.',
  'recovery-code-used': 'You signed in with a recovery code. It cannot be used again.',
  'second-factor-on-already': 'That form was sent twice. The second factor is on.',
  'second-factor-off': 'The second factor is off.',
  welcome: 'Your account is ready. Create a key to use the API.',
};

export function addPages(server: FastifyInstance, site: Site): void {
  const { visitors } = site;
  const { accounts, config } = site.archive;
  const credentials = credentialsOf(accounts);
  const context: AccountContext = {
    ...{ site, accounts, credentials, registration: config.registration, notices: NOTICES },
    passwords: new PasswordAttempts(),
    brake: new AccountBrake(),
    codeBrake: new AccountBrake(),
    halves: new HalfSessions(visitors),
    browsers: new KnownBrowsers(credentials, visitors),
    turns: new KnownTurns(),
    registrations: registrationLimit(),
    newKeys: newKeyLimit(),
    usedForms: new UsedOnce(),
    offered: new OfferedSecrets(),
  };
  const opening = (show: Handler) => (isReadOnly(context) ? refused(context) : show);
  withForms(server, (scope) => {
    const ofKnown = refuseWhileBusy((request) => context.browsers.of(request).length > 0);
    for (const [path, { show, change, takesPassword = true }] of Object.entries(ENTRANCES)) {
      addPageRead(scope, path, entrance(context, opening(visitorShow(context, show))));
      const handler = visitorChange(context, change);
      addAccountForm(scope, context, path, handler, takesPassword ? ofKnown : undefined);
    }
    // The operator gave out the links, so their owners are no strangers.
    const ofInvited = refuseWhileBusy(() => true);
    for (const [path, { show, change }] of Object.entries(LINKS)) {
      addPageRead(scope, path, opening(visitorShow(context, show)));
      addAccountForm(scope, context, path, visitorChange(context, change), ofInvited);
    }
    addPrivatePages(scope, context, PRIVATE, ofKnown);
  });
}

/** A page for everybody. */
function visitorShow(context: AccountContext, show: VisitorHandler): Handler {
  return async (request, reply) => {
    const formToken = context.site.sessions.visitorToken(request, reply);
    return send(context, request, reply, await show(context, visitOf(context, request, reply, formToken)));
  };
}

/** A form of a page for everybody. */
function visitorChange(context: AccountContext, change: VisitorHandler): Handler {
  const { sessions } = context.site;
  return ownFormOnly(context, async (request, reply) => {
    sessions.checkVisitorToken(request, formField(request, TOKEN_FIELD) ?? '');
    const formToken = sessions.visitorToken(request, reply);
    return await change(context, visitOf(context, request, reply, formToken));
  });
}

function entrance(context: AccountContext, show: Handler): Handler {
  return async (request, reply) => {
    if (context.site.sessions.signedIn(request) === null) return show(request, reply);
    return send(context, request, reply, { kind: 'redirect', to: returnPath(request) });
  };
}

const LINE_IS_FULL = new ServiceError(
  'busy',
  'expected room in the queue for password checks, found it full',
  {
    retryAfter: BUSY_RETRY_AFTER,
  },
);

/** For forms with a password: refuses while the queue is full, before the body is read. */
function refuseWhileBusy(isKnown: (request: FastifyRequest) => boolean): FormOptions['onRequest'] {
  return async (request) => {
    if (refusesHash(isKnown(request) ? 'known' : 'strangers')) throw LINE_IS_FULL;
    return undefined;
  };
}
