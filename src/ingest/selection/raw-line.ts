// Whether the raw bytes of a line (one byte for each character) show its ASCII tokens. A token is in the line
// literally, in any case, unless something in the line decodes to an ASCII letter or digit, or vanishes between two.

/**
 * The beginnings of such sequences: a NUL (dropped), a byte beyond ASCII (`é`, a soft hyphen), an entity (`&eacute;`),
 * an escape \u. The other escapes of JSON (\n, \" …) are characters that separate tokens.
 */
export const SUSPECT = String.raw`[\0\x80-\xff&]|\\u`;

// UTF-8 sequences of characters that are harmless in any context (raw-line.test.ts tries each): punctuation and signs,
// Greek, Cyrillic and Hebrew letters, kana, Han, Hangul, emoji.
const CONTINUATION = String.raw`[\x80-\xbf]`;
const HARMLESS_UTF8 = [
  String.raw`\xc2[\xa0-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf]`,
  String.raw`\xce[\x86\x88-\x8a\x8c\x8e-\xa1\xa3-\xbf]`,
  String.raw`\xcf[\x80-\x8e]`,
  String.raw`[\xd0\xd1]${CONTINUATION}`,
  String.raw`\xd7[\x90-\xaa]`,
  String.raw`\xe2\x80[\x90-\xa7\xb0-\xbb\xbd]`,
  String.raw`\xe2\x82[\xa9\xac]`,
  String.raw`\xe3\x80[\x81\x82\x8c-\x8f]`,
  String.raw`\xe3\x81[\x81-\xbf]`,
  String.raw`\xe3\x82[\x80-\x96\xa1-\xbf]`,
  String.raw`\xe3\x83[\x80-\xbe]`,
  String.raw`\xe4[\xb8-\xbf]${CONTINUATION}`,
  String.raw`[\xe5-\xe9]${CONTINUATION}{2}`,
  String.raw`\xea[\xb0-\xbf]${CONTINUATION}`,
  String.raw`[\xeb\xec]${CONTINUATION}{2}`,
  String.raw`\xed[\x80-\x9d]${CONTINUATION}`,
  String.raw`\xf0\x9f[\x8c-\x9b\xa4-\xa7]${CONTINUATION}`,
];

// The same as escapes of JSON. Half of a surrogate pair becomes U+FFFD, which separates tokens.
const HARMLESS_ESCAPES = [
  String.raw`\\u00[aA]0`,
  String.raw`\\u20(?:1[0-9a-fA-F]|2[0-7])`,
  String.raw`\\u04[0-7][0-9a-fA-F]`,
  String.raw`\\ud83[dD]\\u[dD][eE][0-4][0-9a-fA-F]`,
];

// Entities that separate tokens (text/entities.ts decodes twice), and an ampersand that begins none. After `&amp;`, an
// entity may begin that is decoded the second time.
const SIGN = '(?:[gl]t|quot);';
const HARMLESS_AMPERSANDS = [`&${SIGN}`, `&amp;(?:${SIGN}|amp;)`, `&(?:amp;)?(?!#?[A-Za-z0-9]+;)`];

const HARMLESS = `(?:${[...HARMLESS_UTF8, ...HARMLESS_ESCAPES, ...HARMLESS_AMPERSANDS].join('|')})+`;

/** Runs of harmless characters, and anything else as its group. */
const HARMLESS_OR_NOT = new RegExp(`${HARMLESS}|(${SUSPECT})`, 'g');

/** False only if each ASCII token of the texts appears literally in the line, ignoring case. */
export function isUncertain(line: string): boolean {
  HARMLESS_OR_NOT.lastIndex = 0;
  for (let found = HARMLESS_OR_NOT.exec(line); found !== null; found = HARMLESS_OR_NOT.exec(line)) {
    if (found[1] !== undefined) return true;
  }
  return false;
}
