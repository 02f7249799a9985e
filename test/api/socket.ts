// Bytes over a socket: what a caller sends that is no client library.

import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Enough for a loaded machine; the timeouts under test are set shorter. */
const GIVE_UP_MS = 15_000;

/** Sends the bytes and gives every answer until the server closes. Throws where it does not, or sends no answer. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer[]> {
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server did not close; it sent: ${text}`));
    }, GIVE_UP_MS);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
  return answersIn(received);
}

/** Reads answers whose bodies have a Content-Length; those to HEAD and 204 have none to read. */
export function answersIn(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no answer in: ${rest.slice(0, 200)}`);
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 2),
      ]),
    );
    const hasBody = !rest.startsWith('HTTP/1.1 ', end + 4);
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0;
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(line.split(' ')[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
