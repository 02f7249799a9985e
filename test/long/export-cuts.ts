// `npm run test:long -- export-cuts [connections] [seed]`: exports whose connections are cut at random moments (500
// where no number is named), read by fetch, curl and Python's requests (of the Python that COLLOQUY_PYTHON names),
// those that are installed. Prints how many were cut and how many of them a client took for whole; exit code 1 where
// any was, or where too few were cut to show anything.
//
// A proxy between server and client cuts behind a random byte, now by an end (FIN), now by a reset.

import { execFile, spawnSync } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { listen } from '../api/export-client.ts';
import { openService } from '../api/service.ts';
import { manyComments } from '../export-shaping.ts';

const run = promisify(execFile);
const wanted = Number(process.argv[2] ?? 500);
let state = Number(process.argv[3] ?? 1);

/** From 0 to below 1 (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Where the next connection is cut: behind so many bytes of the answer; Infinity: nowhere. */
let cutBehind = Number.POSITIVE_INFINITY;
let isReset = false;

function openProxy(port: number): Promise<Server> {
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let left = cutBehind;
    let byReset = isReset;
    const cut = () => {
      server.destroy();
      if (byReset) client.resetAndDestroy();
      else client.end();
    };
    client.on('data', (bytes) => {
      // Clients use a connection again.
      left = cutBehind;
      byReset = isReset;
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, Math.min(left, bytes.length));
      left -= part.length;
      // Sent before the cut, so that the client has them.
      client.write(part, () => {
        if (left === 0) cut();
      });
      if (left === 0) server.pause();
    });
    server.on('end', () => client.end());
    for (const one of [client, server] as Socket[]) one.on('error', () => one.destroy());
    client.on('close', () => server.destroy());
  });
  return new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}

/** An answer that is no export: the places of the key are still taken by exports that were cut. */
const REFUSED = 'refused';

interface Client {
  readonly name: string;
  /** Bytes that it took for the whole body; null: it saw that there is no end. */
  read(address: string, key: string): Promise<number | typeof REFUSED | null>;
}

const PYTHON_PROGRAM = `
import sys, requests
response = requests.get(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
print(len(response.content) if response.ok else "refused")
`;

const PYTHON = process.env.COLLOQUY_PYTHON ?? 'python3';
const OF_FIVE_HUNDRED_MB = { maxBuffer: 500_000_000, encoding: 'buffer' } as const;

const CLIENTS: readonly Client[] = [
  {
    name: 'fetch',
    async read(address, key) {
      try {
        const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
        const { byteLength } = await response.arrayBuffer();
        return response.ok ? byteLength : REFUSED;
      } catch {
        return null;
      }
    },
  },
  {
    name: 'curl',
    async read(address, key) {
      const args = ['--silent', '--fail', '-H', `Authorization: Bearer ${key}`, address];
      try {
        return (await run('curl', args, OF_FIVE_HUNDRED_MB)).stdout.length;
      } catch (error) {
        // CURLE_HTTP_RETURNED_ERROR
        return (error as { readonly code?: number }).code === 22 ? REFUSED : null;
      }
    },
  },
  {
    name: 'requests',
    async read(address, key) {
      try {
        const told = (await run(PYTHON, ['-c', PYTHON_PROGRAM, address, key])).stdout.trim();
        return told === REFUSED ? REFUSED : Number(told);
      } catch {
        return null;
      }
    },
  },
];

/** As often as it takes to get an export. */
async function readExport(client: Client, address: string, key: string): Promise<number | null> {
  for (;;) {
    const read = await client.read(address, key);
    if (read !== REFUSED) return read;
    await sleep(20);
  }
}

function installed({ name }: Client): boolean {
  if (name === 'curl') return spawnSync('curl', ['--version']).status === 0;
  return name !== 'requests' || spawnSync(PYTHON, ['-c', 'import requests']).status === 0;
}

/** Without these, curl and requests take what they have got for an answer without a body, whatever a server does. */
const FIRST_LINES = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';

const FILES = ['format=ndjson', 'format=csv&compress=gzip', 'format=ndjson&compress=zstd', 'format=parquet'];

await using service = await openService([], manyComments(3_000) as never, (folder) =>
  openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 }),
);
// Whoever was cut may still hold its place for a moment.
const port = await listen(await service.build({ exportsAtOnce: 1_000 }));
const proxy = await openProxy(port);
const clients = CLIENTS.filter(installed);
let cuts = 0;
let takenForWhole = 0;
const key = service.keys.good;
for (const client of clients) {
  const share = Math.ceil(wanted / clients.length);
  let ofClient = 0;
  for (const [i, file] of FILES.entries()) {
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1/export/comments?query=&${file}`;
    cutBehind = Number.POSITIVE_INFINITY;
    const whole = await readExport(client, address, key);
    if (whole === null)
      throw new Error(`${client.name}: expected the whole of ${file}, found an end before it`);
    // Head, chunk sizes and trailers stand beside the body.
    const most = whole + 1_500;
    for (let n = i; n < share; n += FILES.length) {
      // A cut in the head is as likely as one in all of the body.
      const isInHead = random() < 0.5;
      cutBehind = FIRST_LINES.length + Math.floor(random() * (isInHead ? 1_200 : most));
      isReset = random() < 0.5;
      const taken = await readExport(client, address, key);
      if (taken === null) ofClient++;
      else if (taken < whole || cutBehind < whole) takenForWhole++;
    }
  }
  cuts += ofClient;
  process.stderr.write(`${client.name}: ${ofClient} cut connections seen as such\n`);
}
proxy.close();
const names = clients.map(({ name }) => name).join(', ');
const told = takenForWhole === 0 ? 'none was taken for whole' : `${takenForWhole} were TAKEN FOR WHOLE`;
process.stdout.write(`${cuts + takenForWhole} cut connections of ${wanted}, by ${names}: ${told}\n`);
if (takenForWhole > 0 || cuts < wanted * 0.9) process.exitCode = 1;
