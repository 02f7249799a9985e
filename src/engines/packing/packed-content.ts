// Hashes and facts that a segment stores of a packed record, read from its bytes. Building the record first, with a
// string for each text, takes twice as long.

import { fingerprintMix, type Hash64, HashInput } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import { ByteReader } from './bytes.ts';
import { adultOf, PackedHead } from './packed-records.ts';
import {
  NULL_URL,
  RATINGS,
  readFacts,
  readPermalink,
  readRatings,
  readRetrieved,
  readSentiment,
  WIDE_SCORE,
  WITHDRAWN,
} from './record-codec.ts';

export class PackedContent {
  /** Unix seconds, as in the record. */
  retrieved = 0;
  sentiment: number | null = null;
  isWithdrawn = false;
  /** A comment that does not say what it answers. */
  isParentUnknown = false;
  content: Hash64 = { high: 0, low: 0 };
  mix: Hash64 = { high: 0, low: 0 };
  readonly #input = new HashInput();
  readonly #head = new PackedHead();

  /** Reads the record that begins at `place`: adds the bytes that `contentHash` adds, in its order. */
  read(kind: Kind, bytes: Buffer, place: number): void {
    const input = this.#input;
    const reader = new ByteReader(bytes, place);
    this.#head.read(reader);
    const community = reader.text();
    const communityId = reader.text();
    const adult = adultOf(reader.byte());
    const domain = kind === 'post' ? reader.text() : '';
    const flags = reader.byte();
    const id = reader.text();
    this.retrieved = readRetrieved(reader, flags);
    this.isWithdrawn = (flags & WITHDRAWN) !== 0;
    const post = kind === 'post' ? null : reader.text();
    input.clear();
    input.byte(kind === 'post' ? 0 : 1);
    input.byte(this.isWithdrawn ? 1 : 0);
    input.float64(this.#head.created);
    input.text(id);
    input.text(community);
    input.text(communityId);
    input.text(readPermalink(reader, { community, post, id }));
    if (post === null) {
      input.text(domain);
      for (let i = 0; i < 2; i++) addText(input, reader);
      input.text(flags & NULL_URL ? null : reader.text());
      input.byte(adult === null ? 2 : adult ? 1 : 0);
      this.sentiment = null;
      this.isParentUnknown = false;
      readFacts(reader, flags, '');
    } else this.#addAnswered(reader, flags, post);
    this.content = input.hash();
    const score = flags & WIDE_SCORE ? reader.float64() : this.#head.score;
    this.mix = fingerprintMix(this.#head.created, score, community, this.content);
  }

  /** Adds post, parent, text and rating of a comment. The reader is at its text. */
  #addAnswered(reader: ByteReader, flags: number, post: string): void {
    const input = this.#input;
    const body = reader.at;
    reader.skipText();
    this.sentiment = readSentiment(reader, flags);
    if (flags & RATINGS) readRatings(reader);
    const { parent } = readFacts(reader, flags, post);
    const { at } = reader;
    this.isParentUnknown = parent === '';
    input.text(post);
    input.text(parent);
    reader.at = body;
    addText(input, reader);
    reader.at = at;
    input.byte(this.sentiment === null ? 0 : 1);
    if (this.sentiment !== null) input.float64(this.sentiment);
  }
}

/** Adds the text at the reader. */
function addText(input: HashInput, reader: ByteReader): void {
  const length = reader.varint();
  input.utf8(reader.bytes, reader.at, reader.at + length);
  reader.at += length;
}
