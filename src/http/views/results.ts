// The text of a record in a list: as it is, or the part around the words of a search.

import type { Word } from '../../model/query.ts';
import { recordAddress } from '../addresses/reading.ts';
import type { Turns } from '../requests/turns.ts';
import { type Html, html } from './html.ts';
import { surroundings } from './long-texts.ts';
import { markdown } from './markdown.ts';
import { type AnyRecord, adultFold, nameOfLink, textOf } from './record-parts.ts';
import { excerptOf, lengthWords, renderSegments } from './record-text.ts';

/** A text as shown in a list. */
export interface ShownText {
  /** null where there is none. */
  readonly block: Html | null;
  /** The link to the page that shows it whole; null if this one does. */
  readonly whole: Html | null;
}

/** How many characters and lines of a text are shown: three lines of a wide window. */
const EXCERPT = { characters: 270, lines: 3 };

/** A line has about as many characters; letters of Chinese, Japanese and Korean take two places. */
const LINE = 90;

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

/** Ids of what names a record in the list. Comments on one post have one title: their times tell them apart. */
export function nameOf({ type }: AnyRecord, at: number): string {
  return type === 'post' ? `t${at}` : `t${at} d${at}`;
}

/** The text of each record: folded if its community is for adults. */
export async function resultTexts(
  records: readonly AnyRecord[],
  words: readonly Word[],
  query: string,
  turns: Turns,
): Promise<ShownText[]> {
  const texts: ShownText[] = [];
  for (const [at, record] of records.entries()) {
    const named = nameOfLink(`r${at}`, nameOf(record, at));
    texts.push(await excerptText(record, words, query, turns, named));
    await turns.next();
  }
  return texts;
}

/**
 * The text, as it is or the part around the words; the whole of it is on the page of the record. `named`: what
 * `nameOfLink` gives for the link to that.
 */
export async function excerptText(
  record: AnyRecord,
  words: readonly Word[],
  query: string,
  turns: Turns,
  named: Html | null = null,
): Promise<ShownText> {
  const text = textOf(record);
  if (text.trim() === '') return { block: null, whole: null };
  if (isShort(text)) {
    return { block: folded(record, markdown(text, words)), whole: null };
  }
  const isWide = WIDE.test(text.slice(0, EXCERPT.characters));
  const around = await surroundings(text, words, 2 * EXCERPT.characters, turns);
  const excerpt = excerptOf(around, isWide ? EXCERPT.characters / 2 : EXCERPT.characters, 0) ?? around;
  const address = recordAddress(record.type, record.id, { query });
  return {
    block: folded(record, html`<p class="excerpt" dir="auto">${renderSegments(excerpt)}</p>`),
    whole: html`<a href="${address}"${named}>Read all ${lengthWords(text)}</a>`,
  };
}

/** Whether the text takes no more lines than an excerpt. */
function isShort(text: string): boolean {
  if (text.length > EXCERPT.characters) return false;
  const places = (line: string) => (WIDE.test(line) ? 2 : 1) * line.length;
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(places(line) / LINE)), 0);
  return lines <= EXCERPT.lines;
}

function folded(record: AnyRecord, text: Html): Html {
  return record.subreddit.nsfw ? adultFold(text) : html`<div class="text">${text}</div>`;
}
