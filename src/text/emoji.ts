// Emoji sequences: where they occur in a text, and which token each is. After the grammar of UTS #51
// (https://www.unicode.org/reports/tr51/#EBNF_and_Regex), narrowed where it would include digits and ordinary
// signs.

// Signs, letters and numbers of ordinary text: emoji only if U+FE0F asks for it (`™` is not one, `™️` is).
const TEXT_STYLE = '©®‼⁉™ℹⓂ〰〽㊗㊙';
const FLAG = String.raw`\p{RI}\p{RI}?`;
const KEYCAP = String.raw`[0-9#*]\uFE0F?\u20E3`;
const TAGS = String.raw`[\u{E0020}-\u{E007E}]+\u{E007F}`;
const ELEMENT = String.raw`[\p{Emoji}--\p{RI}--[0-9#*${TEXT_STYLE}]][\uFE0E\uFE0F]?\p{EMod}?(?:${TAGS})?`;

/**
 * One emoji sequence: a flag (or a single regional indicator), a keycap with or without its U+FE0F, a
 * character of TEXT_STYLE with U+FE0F, or emoji with skin tones and tags, joined by ZWJ. Covers every
 * sequence recommended for interchange (RGI). Matches in linear time.
 */
export const EMOJI_SEQUENCE = new RegExp(
  `${FLAG}|${KEYCAP}|[${TEXT_STYLE}]\\uFE0F|${ELEMENT}(?:\\u200D${ELEMENT})*`,
  'gv',
);

const STARTS_TEXT_STYLE = new RegExp(`^[${TEXT_STYLE}]`, 'v');

/** The token of a sequence: without presentation selectors, so that `❤` and `❤️` are one; TEXT_STYLE keeps its own. */
export function emojiToken(sequence: string): string {
  return STARTS_TEXT_STYLE.test(sequence) ? sequence : sequence.replace(/[\uFE0E\uFE0F]/g, '');
}
