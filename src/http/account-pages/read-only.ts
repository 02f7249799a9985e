// Account pages of a server that only reads its data: nobody can sign in, and nothing can be changed.

import type { Handler } from '../site/page-paths.ts';
import { html } from '../views/html.ts';
import type { AccountContext } from './account-context.ts';
import { send } from './exchange.ts';
import { formPage } from './frame.ts';
import { READ_ONLY } from './words.ts';

/** Instead of every form, and of pages that are nothing but one: 403. */
export function refused(context: AccountContext): Handler {
  const title = 'Not on this server';
  const body = html`<h1>${title}</h1>
<p>${READ_ONLY} That includes signing in, registering and making keys. API keys that exist work.</p>
<p><a class="button" href="/search">Search</a></p>`;
  return (request, reply) =>
    send(context, request, reply, { kind: 'page', status: 403, page: formPage(title, body) });
}
