// Finds the tokens of texts while a segment is built. Most text is plain ASCII: one scan over its bytes finds and folds
// the tokens, without a string for each. Other text goes through `tokens`.
//
// A token is one of three: listed (identified by its place among the commonest tokens), short (identified by its codes,
// keys.ts), or another, which gets a number. Its label tells pairs its class (format/pairs.ts) and, if it is listed,
// its place. The docs of tokens with codes are counted at the end, one part of the alphabet at a time.

import { Buffer } from 'node:buffer';
import { TextHashInput } from '../../../model/hash.ts';
import { MAX_TOKEN_UNITS, tokens } from '../../../text/tokenizer.ts';
import { grown } from '../../packing/bytes.ts';
import { CODE_BASE, CODE_UNITS, CODES, FILL, KeyCodes } from '../format/key-codes.ts';
import { SEVERAL_PAYLOAD } from '../format/neighbours.ts';
import { COMMON_TOKENS, FREQUENT_TOKENS, tokenClass } from '../format/pairs.ts';
import { hashOf, KeyTable, type Labels, orderOfCodes } from './keys.ts';

const SINGLES = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Every token of the lists in format/pairs.ts, and every single letter and digit, in the order of their UTF-16 units.
 */
export const LISTED_TOKENS: readonly string[] = [
  ...new Set([...COMMON_TOKENS, ...FREQUENT_TOKENS, ...SINGLES]),
].sort();

export const LISTED: number = LISTED_TOKENS.length;

const PLACES: ReadonlyMap<string, number> = new Map(LISTED_TOKENS.map((token, place) => [token, place]));

/** How many bits of a label the class takes; one more says whether a link may begin with the token. */
const CLASS_BITS = 2;
const LINK = 1 << CLASS_BITS;
const PLACE_SHIFT = CLASS_BITS + 1;
const LINK_TOKENS: ReadonlySet<string> = new Set(['http', 'https', 'www']);

export function classOf(label: number): number {
  return label & (LINK - 1);
}

/** True for `http`, `https` and `www`, and for several labels combined by "or" if one of them is such a label. */
export function beginsLink(label: number): boolean {
  return (label & LINK) !== 0;
}

/** The place of a token among LISTED_TOKENS, by its label; −1: it is not listed. */
export function placeInList(label: number): number {
  return (label >>> PLACE_SHIFT) - 1;
}

/** A label has 16 bits. */
function labelOf(token: string): number {
  const place = PLACES.get(token);
  if (place === undefined) return tokenClass(token);
  return tokenClass(token) | (LINK_TOKENS.has(token) ? LINK : 0) | ((place + 1) << PLACE_SHIFT);
}

/**
 * 1 + the place of a listed token in the three arrays below, by a hash of its codes (open addressing). Most look-ups
 * end here, so the table should fit into the processor's nearest cache.
 */
const SLOTS = 1 << 12;
const slots = new Uint16Array(SLOTS);
const firsts = new Int32Array(LISTED);
const seconds = new Int32Array(LISTED);
const labels = new Uint16Array(LISTED);

function fill(): void {
  const codes = new KeyCodes();
  for (const [place, token] of LISTED_TOKENS.entries()) {
    const bytes = Buffer.from(token);
    codes.read(bytes, 0, bytes.length);
    if (!codes.isWhole) continue;
    let at = slotOf(codes.first, codes.second);
    while (slots[at] !== 0) at = (at + 1) & (SLOTS - 1);
    slots[at] = place + 1;
    firsts[place] = codes.first;
    seconds[place] = codes.second;
    labels[place] = labelOf(token);
  }
}

function slotOf(first: number, second: number): number {
  return Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b) >>> 20;
}

fill();

/** The label of a token that fits into its codes (keys.ts); 0: it is not listed. */
function labelOfCodes(first: number, second: number): number {
  for (let at = slotOf(first, second); slots[at] !== 0; at = (at + 1) & (SLOTS - 1)) {
    const place = slots[at]! - 1;
    if (firsts[place] === first && seconds[place] === second) return labels[place]!;
  }
  return 0;
}

export const TOKEN_LABELS: Labels = { ofCodes: labelOfCodes, ofText: labelOf };

const FIRST_CAPACITY = 1 << 10;
/** Instead of a doc: it already has the key. */
const AGAIN = 0xffffffff;
/** Numbers of an entry: both codes, doc, payload. */
const ENTRY = 4;

/** Tokens of one part of the alphabet by their codes, or pairs by their number and 0, and the docs of each. */
export class TokenPart {
  /** The codes of each key, in the order of first occurrence. */
  firsts: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  seconds: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  count = 0;
  /** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
  docs: Uint32Array = new Uint32Array(0);
  starts: Uint32Array = new Uint32Array(0);
  /** By doc of the lists. */
  payloads: Uint32Array = new Uint32Array(0);
  /** By key: how many docs, and 1 + the last of them. */
  #counts = new Uint32Array(FIRST_CAPACITY);
  #lasts = new Uint32Array(FIRST_CAPACITY);
  /** Open addressing: 1 + number of the key; 0: free. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);
  #mask = 0;

  /** Replaces the entries. Each has both codes, the doc and a payload; docs ascend. Overwrites them. */
  read(entries: Uint32Array): void {
    this.#clear(entries.length / ENTRY);
    let held = 0;
    for (let at = 0; at < entries.length; at += ENTRY) {
      const key = this.#number(entries[at]!, entries[at + 1]!);
      const doc = entries[at + 2]!;
      entries[at] = key;
      if (this.#lasts[key] === doc + 1) {
        entries[at + 2] = AGAIN;
        continue;
      }
      this.#lasts[key] = doc + 1;
      this.#counts[key]!++;
      held++;
    }
    this.#place(entries, held);
  }

  /** The keys in the order of their codes, which is the order of their bytes. */
  order(): Uint32Array {
    return orderOfCodes(this.firsts, this.seconds, this.count);
  }

  #clear(entries: number): void {
    let slots = FIRST_CAPACITY;
    while (slots < entries * 2) slots *= 2;
    if (slots > this.#slots.length) this.#slots = new Uint32Array(slots);
    else this.#slots.fill(0, 0, slots);
    this.#mask = slots - 1;
    this.#counts.fill(0, 0, this.count);
    this.#lasts.fill(0, 0, this.count);
    this.count = 0;
  }

  #number(first: number, second: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = hashOf(first, second) & mask;
    for (;;) {
      const found = slots[slot]!;
      if (found === 0) break;
      if (this.firsts[found - 1] === first && this.seconds[found - 1] === second) return found - 1;
      slot = (slot + 1) & mask;
    }
    const key = this.count++;
    slots[slot] = this.count;
    if (key === this.firsts.length) this.#grow();
    this.firsts[key] = first;
    this.seconds[key] = second;
    return key;
  }

  #place(entries: Uint32Array, held: number): void {
    if (held > this.docs.length) {
      this.docs = new Uint32Array(held * 2);
      this.payloads = new Uint32Array(held * 2);
    }
    if (this.count >= this.starts.length) this.starts = new Uint32Array(this.count * 2 + 1);
    const { starts, docs, payloads } = this;
    // While docs are written, each start moves on to that of the next key; afterwards it is reset.
    starts[0] = 0;
    for (let key = 0; key < this.count; key++) starts[key + 1] = starts[key]! + this.#counts[key]!;
    for (let at = 0; at < entries.length; at += ENTRY) {
      const key = entries[at]!;
      if (entries[at + 2] === AGAIN) payloads[starts[key]! - 1] = SEVERAL_PAYLOAD;
      else {
        payloads[starts[key]!] = entries[at + 3]!;
        docs[starts[key]!++] = entries[at + 2]!;
      }
    }
    for (let key = this.count; key > 0; key--) starts[key] = starts[key - 1]!;
    starts[0] = 0;
  }

  #grow(): void {
    this.firsts = grown(this.firsts);
    this.seconds = grown(this.seconds);
    this.#counts = grown(this.#counts);
    this.#lasts = grown(this.#lasts);
  }
}

const SEPARATOR = 0;
/** The text may need `tokens`. */
const CLOSER_LOOK = 0xff;

const AMPERSAND = 0x26;

/** In `ids`: the token is identified by its codes. */
export const BY_CODES = -1;
/** No token: here one text ends and the next begins. */
export const BETWEEN = -2;

/** By byte: the code of a letter or digit, capitals as small letters; SEPARATOR; CLOSER_LOOK. */
const SCANNED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || byte === AMPERSAND) return CLOSER_LOOK;
  const letter = String.fromCharCode(byte).toLowerCase();
  return /[0-9a-z]/.test(letter) ? CODES[letter.charCodeAt(0)]! : SEPARATOR;
});

export class TokenScanner {
  /** Tokens with numbers: those that do not fit into their codes, including listed ones. */
  readonly others = new KeyTable(TOKEN_LABELS);
  /** How many tokens the texts of the record have, and one BETWEEN each two texts. */
  length = 0;
  /** For each of them: its place in the list, LISTED + its number, BY_CODES, or BETWEEN. */
  ids: Int32Array = new Int32Array(1 << 10);
  /** The codes of each token that is identified by them. */
  firsts: Int32Array = new Int32Array(1 << 10);
  seconds: Int32Array = new Int32Array(1 << 10);
  /** The label of each token, for pairs and links. */
  labels: Uint16Array = new Uint16Array(1 << 10);
  /** The tokens of the last scanned text; null: they are its runs of ASCII letters and digits, as small letters. */
  texts: readonly string[] | null = null;
  /** False: the last scanned text has no link. */
  mayHoldLink = false;
  readonly #codes = new KeyCodes();
  /** A folded ASCII token, reused so that none must be made and collected. */
  readonly #token = Buffer.allocUnsafeSlow(MAX_TOKEN_UNITS);
  #isCut = false;

  /** Begins a record. */
  clear(): void {
    this.length = 0;
  }

  /** Adds the tokens of a UTF-8 text in `bytes` to those of the record. */
  scan(bytes: Buffer, from: number, to: number): void {
    const start = this.#begin();
    let found = start;
    let seen = 0;
    this.texts = null;
    this.#isCut = false;
    for (let i = from; i < to; ) {
      const code = SCANNED[bytes[i]!]!;
      if (code === SEPARATOR) i++;
      else if (code === CLOSER_LOOK) {
        const length = separatorLength(bytes, i, to);
        if (length === 0) {
          this.mayHoldLink = true;
          this.#takeTexts(tokens(bytes.toString('utf8', from, to)), start);
          return;
        }
        i += length;
      } else {
        if (found === this.ids.length) this.#grow();
        i = this.#scanToken(bytes, i, to, found);
        seen |= this.labels[found++]!;
      }
    }
    this.mayHoldLink = beginsLink(seen);
    if (this.#isCut) this.texts = tokens(bytes.toString('utf8', from, to));
    this.length = found;
  }

  /** Returns where the tokens of the next text go. */
  #begin(): number {
    if (this.length === 0) return 0;
    if (this.length === this.ids.length) this.#grow();
    this.ids[this.length] = BETWEEN;
    this.labels[this.length] = 0;
    return this.length + 1;
  }

  /** Returns the end of the token that begins at `start`. */
  #scanToken(bytes: Buffer, start: number, to: number, found: number): number {
    let first = 0;
    let second = 0;
    let i = start;
    const middle = Math.min(to, start + CODE_UNITS);
    for (; i < middle; i++) {
      const code = SCANNED[bytes[i]!]!;
      if (!isOfToken(code)) break;
      first = (Math.imul(first, CODE_BASE) + code) | 0;
    }
    if (i < start + CODE_UNITS) first = Math.imul(first, FILL[i - start]!);
    else {
      const end = Math.min(to, start + 2 * CODE_UNITS);
      for (; i < end; i++) {
        const code = SCANNED[bytes[i]!]!;
        if (!isOfToken(code)) break;
        second = (Math.imul(second, CODE_BASE) + code) | 0;
      }
      second = Math.imul(second, FILL[i - start - CODE_UNITS]!);
      while (i < to && isOfToken(SCANNED[bytes[i]!]!)) i++;
      if (i - start > 2 * CODE_UNITS) {
        const token = bytes.toString('latin1', start, Math.min(i, start + MAX_TOKEN_UNITS)).toLowerCase();
        this.#takeOther(Buffer.from(token, 'latin1'), token.length, found);
        if (i - start > MAX_TOKEN_UNITS) this.#isCut = true;
        return i;
      }
    }
    this.#takeCodes(first, second, found);
    return i;
  }

  #takeTexts(texts: readonly string[], start: number): void {
    this.texts = texts;
    this.length = start + texts.length;
    while (this.ids.length < this.length) this.#grow();
    const codes = this.#codes;
    for (let i = start; i < this.length; i++) {
      const token = texts[i - start]!;
      const length = this.#writeAscii(token);
      const bytes = length < 0 ? Buffer.from(token) : this.#token;
      const end = length < 0 ? bytes.length : length;
      codes.read(bytes, 0, end);
      if (codes.isWhole) this.#takeCodes(codes.first, codes.second, i);
      else this.#takeOther(bytes, end, i);
    }
  }

  /** Writes a token to `#token` and returns its length; −1: it has letters outside ASCII, or is too long. */
  #writeAscii(token: string): number {
    if (token.length > this.#token.length) return -1;
    for (let i = 0; i < token.length; i++) {
      const unit = token.charCodeAt(i);
      if (unit >= 0x80) return -1;
      this.#token[i] = unit;
    }
    return token.length;
  }

  #takeCodes(first: number, second: number, found: number): void {
    const label = labelOfCodes(first, second);
    const place = placeInList(label);
    this.labels[found] = label;
    this.ids[found] = place;
    if (place >= 0) return;
    this.firsts[found] = first;
    this.seconds[found] = second;
  }

  #takeOther(bytes: Buffer, length: number, found: number): void {
    this.ids[found] = LISTED + this.others.number(bytes, 0, length);
    this.labels[found] = this.others.label;
  }

  #grow(): void {
    this.ids = grown(this.ids);
    this.firsts = grown(this.firsts);
    this.seconds = grown(this.seconds);
    this.labels = grown(this.labels);
  }
}

function isOfToken(code: number): boolean {
  return code !== SEPARATOR && code !== CLOSER_LOOK;
}

/**
 * Length in bytes of a character that always separates tokens (an ampersand without an entity, U+00A0, U+2010 to
 * U+2029); 0: unknown.
 */
function separatorLength(bytes: Buffer, i: number, to: number): number {
  const next = i + 1 < to ? bytes[i + 1]! : 0;
  switch (bytes[i]) {
    case AMPERSAND:
      return next === 0x23 || isOfToken(SCANNED[next]!) ? 0 : 1;
    case 0xc2:
      return next === 0xa0 ? 2 : 0;
    case 0xe2: {
      // uncovered: no UTF-8 ends in the midst of a character
      const last = i + 2 < to ? bytes[i + 2]! : 0;
      return next === 0x80 && last >= 0x90 && last <= 0xa9 ? 3 : 0;
    }
    default:
      return 0;
  }
}

const SPACE = 0x20;

/** By byte: the lower-case letter or digit, else a space. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : SPACE;
});

/** Computes `textHash` (model/hash.ts): of plain text from its bytes, without strings. */
export class TextHasher {
  readonly #input = new TextHashInput();

  clear(): void {
    this.#input.clear();
  }

  /** Adds a text. `texts`: its tokens; null: they are its runs of ASCII letters and digits, in lower case. */
  add(texts: readonly string[] | null, bytes: Uint8Array, from: number, to: number): void {
    if (texts === null) this.#input.plain(bytes, from, to, FOLDED);
    else for (const token of texts) this.#input.token(token);
  }

  /** `textHash` of a record with these texts that is not withdrawn. */
  hash(): number {
    return this.#input.hash();
  }
}
