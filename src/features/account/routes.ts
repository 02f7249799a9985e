// The routes of the account pages: register, sign in and out, profile, My API, sessions, export and deletion, one-time
// links.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import {
  addAccountForm,
  addPrivatePages,
  isReadOnly,
  ownFormOnly,
  refused,
  send,
  withForms,
} from '../../http/site/exchange.ts';
import { addPageRead, type FormOptions, type PageHandler } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { TOKEN_FIELD } from '../../http/views/html.ts';
import { SIGN_OUT_PATH } from './addresses.ts';
import { ENTRANCES, LINKS, returnPath, signOut } from './entering.ts';
import { KEY_ROUTES } from './keys.ts';
import { BUSY_RETRY_AFTER, refusesHash } from './password.ts';
import { PROFILE_ROUTES } from './profile.ts';
import { type AccountContext, accountContext, type PrivateRoutes, type VisitorHandler } from './proving.ts';
import { SECOND_FACTOR_ROUTES } from './second-factor.ts';
import { SESSION_ROUTES } from './sessions.ts';

const PRIVATE: PrivateRoutes = {
  ...{ [SIGN_OUT_PATH]: { change: signOut }, ...PROFILE_ROUTES, ...SECOND_FACTOR_ROUTES },
  ...{ ...KEY_ROUTES, ...SESSION_ROUTES },
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
  const context = accountContext(site, NOTICES);
  const opening = (show: PageHandler) => (isReadOnly(context) ? refused(context) : show);
  withForms(server, (scope) => {
    const ofKnown = refuseWhileBusy((request) => context.browsers.of(request).length > 0);
    for (const [path, { show, change, takesPassword = true }] of Object.entries(ENTRANCES)) {
      addPageRead(scope, site, path, entrance(context, opening(visitorShow(context, show))));
      const handler = visitorChange(context, change);
      addAccountForm(scope, context, path, handler, takesPassword ? ofKnown : undefined);
    }
    // The operator gave out the links, so their owners are no strangers.
    const ofInvited = refuseWhileBusy(() => true);
    for (const [path, { show, change }] of Object.entries(LINKS)) {
      addPageRead(scope, site, path, opening(visitorShow(context, show)));
      addAccountForm(scope, context, path, visitorChange(context, change), ofInvited);
    }
    addPrivatePages(scope, context, PRIVATE, ofKnown);
  });
}

function visitorShow(context: AccountContext, show: VisitorHandler): PageHandler {
  return async (visit) => send(context, visit, await show(context, visit));
}

function visitorChange(context: AccountContext, change: VisitorHandler): PageHandler {
  return ownFormOnly(context, async (visit) => {
    context.site.sessions.checkVisitorToken(visit.request, visit.field(TOKEN_FIELD));
    visit.visitorToken();
    return await change(context, visit);
  });
}

function entrance(context: AccountContext, show: PageHandler): PageHandler {
  return (visit) =>
    visit.viewer === null ? show(visit) : send(context, visit, { kind: 'redirect', to: returnPath(visit) });
}

const FULL = 'expected room in the queue for password checks, found it full';
const LINE_IS_FULL = new ServiceError('busy', FULL, { retryAfter: BUSY_RETRY_AFTER });

/** For forms with a password: refuses while the queue is full, before the body is read. */
function refuseWhileBusy(isKnown: (request: FastifyRequest) => boolean): FormOptions['onRequest'] {
  return async (request) => {
    if (refusesHash(isKnown(request) ? 'known' : 'strangers')) throw LINE_IS_FULL;
    return undefined;
  };
}
