// `npm run bench -- way DATA_FOLDER [CHECKOUT…] [--rounds 400] [--rate 100] [--seconds 20] [--no-http]`: what the way
// from the socket to a worker and back costs, in this checkout beside others, by turns in one run. Nothing else should
// use the folder: sessions and keys are added to its accounts.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareWays } from './way-asks.ts';
import { compareServers } from './way-http.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '400' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    http: { type: 'boolean', default: true },
    asks: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const [folder, ...others] = positionals;
if (folder === undefined) {
  process.stderr.write(
    'expected a data folder: npm run bench -- way DATA_FOLDER [CHECKOUT…] [--rounds 400]\n',
  );
  process.exit(2);
}
const checkouts = [...others.map((other) => resolve(other)), resolve(import.meta.dirname, '..')];
const [rounds, rate, seconds] = [Number(values.rounds), Number(values.rate), Number(values.seconds)];
if (values.asks) await compareWays(folder, checkouts, rounds);
if (values.http) await compareServers(folder, checkouts, { rounds, rate, seconds });
