// The query string of an address as pairs of texts, strictly: bytes that are not UTF-8 and broken escapes are errors.
// Otherwise `application/x-www-form-urlencoded` of the URL standard (https://url.spec.whatwg.org/#urlencoded-parsing),
// which would replace them by U+FFFD. Raw UTF-8, which people type (`curl '…?query=日本'`), is percent-encoded first.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
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

export interface ParseError extends Error {
  readonly code?: string | undefined;
  /** A Buffer of the last bytes received; absent if the connection failed. (Fastify's type says otherwise.) */
  readonly rawPacket?: unknown;
  /** The offset of the fault in those bytes. */
  readonly bytesParsed?: number | undefined;
}

const NEWLINE = 0x0a;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * Takes over a connection whose request has bytes beyond ASCII in its address: Node's parser accepts only ASCII and
 * gives up the connection. The request is passed to the server again, with those bytes percent-encoded, on a
 * connection of its own that is closed after the answer. Whether they are UTF-8 is checked where addresses are read.
 * Returns false, having done nothing, if the fault is another, or the request line began in an earlier packet.
 */
export function retryInEscapes(
  server: Server,
  { code, rawPacket, bytesParsed = 0 }: ParseError,
  socket: Socket,
): boolean {
  if (code !== 'HPE_INVALID_URL' || !Buffer.isBuffer(rawPacket)) return false;
  if ((rawPacket[bytesParsed] ?? 0) < FIRST_BEYOND_ASCII) return false;
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(NEWLINE, bytesParsed - 1) + 1;
  if (!/^[A-Z-]+ [^\s]/.test(rawPacket.toString('latin1', start, bytesParsed + 1))) return false;

  const [inner, outer] = duplexPair();
  Object.defineProperty(inner, 'remoteAddress', { value: socket.remoteAddress });
  const escaped = requestLineEscaper();
  // The parser that gave up must not see the bytes that follow.
  socket.removeAllListeners('data').removeAllListeners('end');
  outer.write(escaped(rawPacket.subarray(start)));
  socket.on('data', (chunk: Buffer) => outer.write(escaped(chunk)));
  socket.on('end', () => outer.end());
  socket.on('close', () => inner.destroy());
  inner.on('close', () => socket.destroySoon());
  outer.pipe(socket);
  server.emit('connection', inner);
  return true;
}

/**
 * Percent-encodes bytes beyond ASCII up to the end of the first line, and adds a header there that closes the
 * connection.
 */
function requestLineEscaper(): (bytes: Buffer) => Buffer {
  let isInLine = true;
  return (bytes) => {
    if (!isInLine) return bytes;
    const newline = bytes.indexOf(NEWLINE);
    const line = newline === -1 ? bytes : bytes.subarray(0, newline + 1);
    isInLine = newline === -1;
    const text = line
      .toString('latin1')
      .replace(/[\x80-\xff]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
    const close = isInLine ? '' : 'Connection: close\r\n';
    return Buffer.concat([Buffer.from(text + close, 'latin1'), bytes.subarray(line.length)]);
  };
}
