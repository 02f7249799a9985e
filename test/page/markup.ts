// What a page of ours is made of, whatever texts it shows.

import assert from 'node:assert/strict';
import { hrefs } from './site.ts';

/** Elements that a page of ours is made of; all others came from a text. */
const ELEMENTS =
  /^(?:html|head|meta|title|link|script|body|a|header|svg|path|line|span|nav|main|search|form|label|input|select|option|fieldset|legend|div|button|p|ul|li|section|h[1-4]|ol|article|bdi|mark|time|details|summary|aside|table|caption|thead|tbody|tr|th|td|rect|text|g|figure|figcaption|pre|code|footer|dl|dt|dd|abbr|small|i|b|strong|em|blockquote|hr|br|s|sup)$/;

/** No element, handler, style or scheme that is not ours, and no character that turns the direction of writing. */
export function checkMarkup(body: string): void {
  const markup = body.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
  for (const [tag, name] of markup.matchAll(/<\/?([^\s/>!]+)[^>]*>/g)) {
    assert.match(name!, ELEMENTS);
    assert.doesNotMatch(tag.replace(/"[^"]*"/g, '""'), /\son\w+\s*=|\sstyle\s*=|srcdoc/i);
  }
  for (const href of hrefs(body)) assert.match(href, /^(?:https?:\/\/|\/|#)/);
  // In the box itself stands what was written.
  const shown = markup.replace(/ value="[^"]*"/g, '');
  assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(shown));
}
