// The query string of an address as pairs of texts, strictly: bytes that are not UTF-8 and broken escapes are
// errors. Otherwise `application/x-www-form-urlencoded` of the URL standard
// (https://url.spec.whatwg.org/#urlencoded-parsing), which would replace them by U+FFFD.

import { ServiceError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

export interface Pair {
  readonly name: string;
  readonly value: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Pairs in the order given; a piece without `=` has an empty value, empty pieces (`&&`) are skipped. `raw` is
 * the text after the `?`, one character for each byte, as Node gives it. Throws `bad_encoding`.
 */
export function parseQueryString(raw: string): Pair[] {
  return raw
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const equals = piece.indexOf('=');
      const name = decode(equals === -1 ? piece : piece.slice(0, equals), () => 'name of a parameter');
      const value = equals === -1 ? '' : decode(piece.slice(equals + 1), () => `parameter ${quoted(name)}`);
      return { name, value };
    });
}

/** A text as a value in an address; also safe between single quotes in a shell. */
export function encodeValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `place`: for the message of an error. */
function decode(raw: string, place: () => string): string {
  const spaced = raw.replaceAll('+', ' ');
  if (/^[\x20-\x24\x26-\x7e]*$/.test(spaced)) return spaced;
  return decodeAtOnce(spaced) ?? decodeBytes(spaced, place);
}

/** As `decodeBytes`, much faster; null: it has to tell what is wrong, or there are bytes without an escape. */
function decodeAtOnce(spaced: string): string | null {
  if (!/^[\x00-\x7f]*$/.test(spaced)) return null;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return null;
  }
}

function decodeBytes(spaced: string, place: () => string): string {
  const bytes = new Uint8Array(spaced.length);
  let length = 0;
  for (let at = 0; at < spaced.length; at++) {
    let byte = spaced.charCodeAt(at);
    if (byte === 0x25) {
      const digits = spaced.slice(at + 1, at + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) {
        throw badEncoding(place, `\`%${digits}\`; a percent sign itself is written \`%25\``);
      }
      byte = Number.parseInt(digits, 16);
      at += 2;
    } else if (byte > 0xff) {
      throw badEncoding(place, `the character \`${String.fromCodePoint(spaced.codePointAt(at)!)}\``);
    }
    bytes[length++] = byte;
  }
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    throw badEncoding(place, 'bytes that are no UTF-8');
  }
}

function badEncoding(place: () => string, found: string): ServiceError {
  return new ServiceError(
    'bad_encoding',
    `${place()}: expected UTF-8 in percent-encoding (\`%\` and two hexadecimal digits), found ${found}`,
  );
}
