// One JSON value from any bytes: never throws, and never recurses deeper than is safe.

/** Deeper values are rejected; a comment tree needs five levels per reply. */
const MAX_DEPTH = 10_000;

/** Values with more arrays and objects are rejected, because small ones take twenty times their length in memory. */
const MAX_BRACKETS = 1_000_000;

/** A value this short cannot be nested deeply enough to take much memory. */
const SURELY_SHALLOW = 2 * MAX_DEPTH;

export const NOT_JSON: unique symbol = Symbol('not json');

/** The value, or NOT_JSON. Raw NUL bytes (holes in damaged copies) are ignored; invalid UTF-8 becomes U+FFFD. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length > SURELY_SHALLOW && isExcessive(bytes)) return NOT_JSON;
  return parsed(bytes.toString('utf8'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.includes('\0') ? parsed(text.replaceAll('\0', '')) : NOT_JSON;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Too deep, or too many brackets: counted outside strings. */
function isExcessive(bytes: Buffer): boolean {
  let depth = 0;
  let brackets = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (isInString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH || ++brackets > MAX_BRACKETS) return true;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return false;
}
