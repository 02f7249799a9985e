// A feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). Texts are plain: `content_text`.

import { isoTime } from '../model/time.ts';
import type { Feed, FeedEntry } from './feed.ts';

/** One document. Every text has been cleaned (clean-text.ts). */
export function jsonFeedOf(feed: Feed): string {
  const { title, description, home, self, next, entries } = feed;
  const document = {
    version: 'https://jsonfeed.org/version/1.1',
    ...{ title, home_page_url: home, feed_url: self, description },
    ...(next === null ? {} : { next_url: next }),
    authors: [{ name: 'Colloquy' }],
    items: entries.map(item),
  };
  return `${JSON.stringify(document)}\n`;
}

function item({ id, title, link, text, published, updated, tags }: FeedEntry) {
  return {
    ...{ id, url: link, title, content_text: text },
    date_published: isoTime(published ?? updated),
    date_modified: isoTime(updated),
    ...(tags.length === 0 ? {} : { tags }),
  };
}
