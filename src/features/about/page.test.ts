import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { privacyPage } from './page.ts';

describe('the page Privacy', () => {
  it('says whether the log of requests has the addresses of callers', () => {
    const [without, with_] = [false, true].map((notes) => String(privacyPage(null, notes)));
    assert.match(without!, /Your address is not logged for a search that is answered\./);
    assert.doesNotMatch(without!, /logs your address with each request/);
    assert.match(with_!, /logs your address with each request, without what you search for\./);
    assert.doesNotMatch(with_!, /address is not logged/);
  });
});
