import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost } from '../../test/helpers.ts';
import { presentRecords } from './presenter.ts';

const NOTHING = { evidence: new Map(), knowledge: new Map(), permalinkBase: 'https://site.example' };

describe('presented records', () => {
  it('links without a host get the base, others stay as they are', () => {
    const records = [
      linkPost({ id: '1', domain: '', permalink: '/r/energy/1/', url: '/r/energy/2/' }),
      linkPost({ id: '2', domain: '', permalink: 'https://else.example/1', url: 'https://else.example/2' }),
    ];
    const links = presentRecords(records, NOTHING).map((record) =>
      record.type === 'post' ? [record.permalink, record.url] : [],
    );
    assert.deepEqual(links, [
      ['https://site.example/r/energy/1/', 'https://site.example/r/energy/2/'],
      ['https://else.example/1', 'https://else.example/2'],
    ]);
  });

  it('the id of a community: of the record, else of the evidence, else of what is known', () => {
    const said = { operator: null, record: null, dump: null, id: 'known' };
    const records = ['own', ''].map((communityId) => comment({ id: '1', community: 'cats', communityId }));
    const idsWith = (evidenceId: string | null) =>
      presentRecords(records, {
        ...NOTHING,
        evidence: new Map(
          evidenceId === null ? [] : [['cats', { id: evidenceId, judgedPosts: 0, adultPosts: 0 }]],
        ),
        knowledge: new Map([['cats', said]]),
      }).map(({ subreddit }) => subreddit.id);
    assert.deepEqual(idsWith('least'), ['own', 'least']);
    assert.deepEqual(idsWith(''), ['own', 'known']);
    assert.deepEqual(idsWith(null), ['own', 'known']);
  });

  it('a community is nsfw by what people said, before what its posts show', () => {
    const evidence = new Map([['cats', { id: '', judgedPosts: 10, adultPosts: 9 }]]);
    const isNsfw = (operator: boolean | null) => {
      const knowledge = new Map([['cats', { operator, record: null, dump: null, id: '' }]]);
      const [record] = presentRecords([comment({ id: '1', community: 'cats' })], {
        ...NOTHING,
        evidence,
        knowledge,
      });
      return record!.subreddit.nsfw;
    };
    assert.deepEqual([isNsfw(null), isNsfw(false)], [true, false]);
  });
});
