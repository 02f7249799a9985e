// Addresses with raw UTF-8, as people type them (`curl '…?query=日本'`). Node's parser accepts only ASCII and
// gives up the connection. The request is then passed to the server again, with those bytes percent-encoded,
// on a connection of its own that is closed after the answer. Whether they are UTF-8 is checked where
// addresses are read.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';

/** What Node reports about a request that its parser refuses. */
export interface ParseError extends Error {
  readonly code?: string | undefined;
  /**
   * A Buffer of the last bytes received; absent if the connection failed. (Fastify's type says otherwise.)
   */
  readonly rawPacket?: unknown;
  /** The offset of the fault in those bytes. */
  readonly bytesParsed?: number | undefined;
}

const NEWLINE = 0x0a;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * Takes over a connection whose request has bytes beyond ASCII in its address. Returns false, having done
 * nothing, if the fault is another, or the request line began in an earlier packet.
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
