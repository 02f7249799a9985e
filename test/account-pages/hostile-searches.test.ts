// Saved searches with hostile names and queries: their pages show them as text alone.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { savedOf } from '../../src/features/saved/store.ts';
import { hostileTexts } from '../page/hostile.ts';
import { checkMarkup } from '../page/markup.ts';
import { openSite } from './site.ts';

/** Saved searches that an account has at once here; each page of the list shows all of them. */
const AT_ONCE = 20;

it('hostile names and queries of saved searches stay text, in the list and in the form', async () => {
  await using site = await openSite({ publicUrl: 'http://localhost:80' });
  const ann = site.browser();
  await ann.register('ann@example.org');
  let saved = 0;
  for (const text of hostileTexts(150).map((one) => one.toWellFormed())) {
    const form = await ann.get(
      `/account/saved/new?query=${encodeURIComponent(text.slice(0, 1000).toWellFormed())}`,
    );
    assert.ok([200, 400].includes(form.statusCode), `${form.statusCode} ${text}`);
    checkMarkup(form.body);
    const name = [...text].slice(0, 100).join('');
    for (const fields of [
      { name, query: 'cats', kind: 'posts' },
      { name: 'plain', query: text.slice(0, 1000).toWellFormed(), kind: 'comments' },
    ]) {
      const sent = await ann.submit('/account/saved/new', '/account/saved/new', fields);
      assert.ok([303, 400].includes(sent.statusCode), `${sent.statusCode} ${text}`);
      if (sent.statusCode === 303) saved++;
      else checkMarkup(sent.body);
    }
    const kept = savedOf(site.accounts).list(1);
    if (kept.length < AT_ONCE) continue;
    checkMarkup((await ann.get('/account/saved')).body);
    for (const { id } of kept) savedOf(site.accounts).remove(1, id);
  }
  checkMarkup((await ann.get('/account/saved')).body);
  assert.ok(saved > 150, `${saved} saved`);
});
