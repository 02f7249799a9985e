import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { privacyPage } from './page.ts';

describe('the page Privacy', () => {
  it('says whether the log of requests has the addresses of callers', () => {
    const [without, with_] = [false, true].map((notes) => String(privacyPage(null, notes)));
    assert.match(without!, /It is not written down for a search that is answered\./);
    assert.doesNotMatch(without!, /into a log with each request/);
    assert.match(with_!, /into a log with each request, without what you search for\./);
    assert.doesNotMatch(with_!, /not written down/);
  });
});
