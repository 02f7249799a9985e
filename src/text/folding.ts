// Folding removes differences in spelling that search ignores. Contract 3.4. Also matches emoji: a sequence is a token.

/** Dropped before a text is cut: soft hyphen, ZWJ, ZWNJ, U+200B, variation selectors … (not inside an emoji). */
export const IGNORABLES = /\p{Default_Ignorable_Code_Point}+/gu;

// Unicode calls U+02BC a letter, but here it separates words like any apostrophe: `donʼt` is `don't`, and `ŉ` (NFKC:
// `ʼn`) is an `n`.
const WORD_CHARACTER = String.raw`[[\p{L}\p{M}\p{N}]--\u02BC]`;

/** A maximal run of letters, marks and digits. */
export const RUN = new RegExp(`${WORD_CHARACTER}+`, 'gv');

/** A run in a text with ignorable characters: it may contain them, or consist of them alone. */
export const RUN_WITH_IGNORABLES = new RegExp(
  String.raw`[${WORD_CHARACTER}\p{Default_Ignorable_Code_Point}]+`,
  'gv',
);

// Characters that NFKC may combine with the one before: marks, halfwidth voicing marks, Hangul jamo, and the
// one other vowel sign that composes (Kirat Rai).
const CONTINUES = String.raw`[\p{M}\uFF9E\uFF9F\u1100-\u11FF\u3131-\u318E\uFFA1-\uFFDC\u{16D67}]`;

/** A character that NFKC may combine with the one before. */
export const CONTINUATION = new RegExp(`^${CONTINUES}$`, 'v');

/** A piece of a run with ignorables that folds on its own: the folded pieces, joined, are the folded run. */
export const PIECE = new RegExp(
  String.raw`\p{Default_Ignorable_Code_Point}+|[^](?:\p{Default_Ignorable_Code_Point}*${CONTINUES})*`,
  'gv',
);

// Scripts written without spaces between words: a character, with its marks, is a token.
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED = `[${SCRIPTS.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]`;
const SINGLE = `[[${WORD_CHARACTER}--\\p{M}]&&${UNSPACED}]`;

// NFKC decomposes the vowel AM of Thai and Lao (U+0E33, U+0EB3) into a mark and a letter. No rule for marks
// may split them (so `น้` is found in `น้ำ`).
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

// Ё decomposed. With more than one mark, the diaeresis need not come first.
const MARKED_IE = new RegExp(`[Ее]${MARK}+`, 'gv');

/**
 * A longer run is folded piece by piece, and a longer piece (one letter with hundreds of marks) is cut to this many
 * UTF-16 units: putting marks in canonical order takes quadratic time. Tokens are shorter (MAX_TOKEN_UNITS).
 */
const MAX_FOLDED_UNITS = 512;

/**
 * Folds a run: NFKC, lower case, no marks after Latin and Greek letters, ß as ss, ς as σ, ё as е. A letter folds the
 * same in any context. The result may contain separators (`½` becomes `1⁄2`): look for FOLDED_TOKEN in it. Lower case
 * comes after NFKC, which produces capitals (`ᴬ`, `𝐀`). Idempotent; linear time.
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

// Characters of ordinary text that are emoji only before U+FE0F (`™` is not one, `™️` is).
const TEXT_STYLE = '©®‼⁉™ℹⓂ〰〽㊗㊙';
const FLAG = String.raw`\p{RI}\p{RI}?`;
const KEYCAP = String.raw`[0-9#*]\uFE0F?\u20E3`;
const TAGS = String.raw`[\u{E0020}-\u{E007E}]+\u{E007F}`;
const ELEMENT = String.raw`[\p{Emoji}--\p{RI}--[0-9#*${TEXT_STYLE}]][\uFE0E\uFE0F]?\p{EMod}?(?:${TAGS})?`;

/**
 * One emoji sequence, after the grammar of UTS #51 (https://www.unicode.org/reports/tr51/#EBNF_and_Regex), but no plain
 * digits or signs: a flag (or a single regional indicator), a keycap with or without its U+FE0F, a character of
 * TEXT_STYLE with U+FE0F, or emoji with skin tones and tags, joined by ZWJ. Covers every sequence recommended for
 * interchange (RGI). Matches in linear time.
 */
export const EMOJI_SEQUENCE = new RegExp(
  `${FLAG}|${KEYCAP}|[${TEXT_STYLE}]\\uFE0F|${ELEMENT}(?:\\u200D${ELEMENT})*`,
  'gv',
);

const STARTS_TEXT_STYLE = new RegExp(`^[${TEXT_STYLE}]`, 'v');

/** Drops presentation selectors, so that `❤` and `❤️` are the same token; TEXT_STYLE keeps them. */
export function emojiToken(sequence: string): string {
  return STARTS_TEXT_STYLE.test(sequence) ? sequence : sequence.replace(/[\uFE0E\uFE0F]/g, '');
}
