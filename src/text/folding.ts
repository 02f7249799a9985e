// Folding: which differences in spelling do not matter. Contract 3.4.

/** Dropped before a text is cut: soft hyphen, ZWJ, ZWNJ, U+200B, variation selectors … (not inside an emoji). */
export const IGNORABLES = /\p{Default_Ignorable_Code_Point}+/gu;

// U+02BC is a letter to Unicode, but it is an apostrophe, and the apostrophe separates: `donʼt` is written like
// `don't`, and `ŉ`, which NFKC makes `ʼn`, is an `n`.
const WORD_CHARACTER = String.raw`[[\p{L}\p{M}\p{N}]--\u02BC]`;

/** A maximal run of letters, marks and digits. */
export const RUN = new RegExp(`${WORD_CHARACTER}+`, 'gv');

/**
 * The same in a text that still has its ignorable characters: a run may contain them, and may consist of them
 * alone.
 */
export const RUN_WITH_IGNORABLES = new RegExp(
  String.raw`[${WORD_CHARACTER}\p{Default_Ignorable_Code_Point}]+`,
  'gv',
);

// Characters that NFKC may combine with the one before: marks, halfwidth voicing marks, Hangul jamo, and the
// one other vowel sign that composes (Kirat Rai).
const CONTINUES = String.raw`[\p{M}\uFF9E\uFF9F\u1100-\u11FF\u3131-\u318E\uFFA1-\uFFDC\u{16D67}]`;

/** A character that NFKC may combine with the one before. */
export const CONTINUATION = new RegExp(`^${CONTINUES}$`, 'v');

/** A piece of such a run that folds by itself: the folded pieces, joined, are the folded run. */
export const PIECE = new RegExp(
  String.raw`\p{Default_Ignorable_Code_Point}+|[^](?:\p{Default_Ignorable_Code_Point}*${CONTINUES})*`,
  'gv',
);

// Scripts written without spaces between words: a character, with its marks, is a token.
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED = `[${SCRIPTS.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]`;
const SINGLE = `[[${WORD_CHARACTER}--\\p{M}]&&${UNSPACED}]`;

// The vowel AM of Thai and Lao (U+0E33, U+0EB3) as NFKC decomposes it: a mark and a letter, yet one
// character, which no rule for marks may split (so `น้` is found in `น้ำ`).
const AM = String.raw`\u0E4D\u0E32|\u0ECD\u0EB2`;
const MARK = String.raw`(?:(?!${AM})\p{M})`;

/** A token that is one character of such a script, with its marks. */
export const SINGLE_TOKEN = new RegExp(`^${SINGLE}${MARK}*$`, 'v');

/** A token inside a folded run: one character of such a script with its marks, or a word. */
export const FOLDED_TOKEN = new RegExp(
  `(?:${AM}|${SINGLE})${MARK}*|(?:(?!${AM})[${WORD_CHARACTER}--${SINGLE}])+`,
  'gv',
);

const MARKED_LATIN_OR_GREEK = new RegExp(
  String.raw`([[\p{Script=Latin}\p{Script=Greek}]&&\p{L}])${MARK}+`,
  'gv',
);

// Ё decomposed; if it has more marks, or the mark twice, the diaeresis need not come first.
const MARKED_IE = new RegExp(`[Ее]${MARK}+`, 'gv');

/**
 * A longer run is folded piece by piece, and of a longer piece (one letter under hundreds of marks) only this
 * many UTF-16 units count: putting marks in canonical order takes quadratic time. Both are longer than a
 * token can be.
 */
const MAX_FOLDED_UNITS = 512;

/**
 * Folds a run: NFKC, lower case, no marks after Latin and Greek letters, ß as ss, ς as σ, ё as е. The
 * characters around a letter play no part. The result may contain separators (`½` becomes `1⁄2`): look for
 * FOLDED_TOKEN in it. Lower case comes after NFKC, which produces capitals (`ᴬ`, `𝐀`). Folding again changes
 * nothing. Linear time.
 */
export function fold(run: string): string {
  if (run.length <= MAX_FOLDED_UNITS) return foldWhole(run);
  let folded = '';
  for (const [piece] of run.matchAll(PIECE)) folded += foldWhole(piece.slice(0, MAX_FOLDED_UNITS));
  return folded;
}

function foldWhole(run: string): string {
  return run
    .normalize('NFKD')
    .replace(MARKED_LATIN_OR_GREEK, '$1')
    .replace(MARKED_IE, (marked) => marked.replaceAll('\u0308', ''))
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßς]/g, (letter) => (letter === 'ß' ? 'ss' : 'σ'));
}
