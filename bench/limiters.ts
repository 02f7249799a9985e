// What one attempt costs each limit, at 1,000 to 1,000,000 names that have come: processor time in microseconds,
// the median and the most of batches; how long the longest attempt took; and the most memory that the limit ever
// takes. Half of the attempts are by names that are known, half by new ones. Run: npm run bench -- limiters

import { PasswordAttempts, registrationLimit } from '../src/features/account/attempts.ts';
import { addressGroup, callerName } from '../src/http/requests/caller.ts';
import { networkBuckets, RateLimiter } from '../src/http/requests/limits.ts';

const NAMES = [1_000, 10_000, 100_000, 1_000_000];
/** Attempts that are measured for each number of names, in batches of which each is timed as a whole. */
const MEASURED = 20_000;
const BATCH = 500;

type Attempt = (name: number) => unknown;

// Nothing is forgotten.
performance.now = () => 0;

/** Each name is new to the limit. */
const LIMITS: Readonly<Record<string, () => Attempt>> = {
  'requests of accounts': () => {
    const limiter = new RateLimiter(600);
    return (name) => limiter.take(callerName({ accountId: name }));
  },
  'searches, IPv4': () => {
    const limit = networkBuckets({ burst: 30, msOfToken: 1000 });
    return (name) => limit.take(addressGroup(ipv4(name)));
  },
  'searches, IPv6': () => {
    const limit = networkBuckets({ burst: 30, msOfToken: 1000 });
    return (name) => limit.take(addressGroup(ipv6(name)));
  },
  'registrations, IPv6': () => {
    const limit = registrationLimit();
    return (name) => limit.take(addressGroup(ipv6(name)));
  },
  'wrong passwords, IPv4': () => {
    const attempts = new PasswordAttempts();
    return (name) => attempts.run(`${name}@example.net`, ipv4(name), async () => null);
  },
  'wrong passwords, IPv6': () => {
    const attempts = new PasswordAttempts();
    return (name) => attempts.run(`${name}@example.net`, addressGroup(ipv6(name)), async () => null);
  },
};

function ipv4(name: number): string {
  return `10.${(name >> 16) & 255}.${(name >> 8) & 255}.${name & 255}`;
}

/** Each in a /48 of its own. */
function ipv6(name: number): string {
  return `2001:${(name >> 16).toString(16)}:${(name & 0xffff).toString(16)}:1::1`;
}

/** Else the memory of one would be missing when the next is looked at. */
const kept: Attempt[] = [];

console.log('| limit | names | µs, median | µs, most of a batch | ms, longest attempt | MB at most |');
console.log('|---|---|---|---|---|---|');
for (const [kind, make] of Object.entries(LIMITS)) {
  const before = process.memoryUsage().arrayBuffers;
  const attempt = make();
  kept.push(attempt);
  let known = 0;
  for (const names of NAMES) {
    while (known < names) await attempt(known++);
    const { batches, longest } = await measured(attempt, names);
    const megabytes = (process.memoryUsage().arrayBuffers - before) / 1e6;
    const figures = [batches[batches.length >> 1]!, batches.at(-1)!, longest, megabytes];
    console.log(
      `| ${kind} | ${names.toLocaleString('en')} | ${figures.map((figure) => figure.toFixed(1)).join(' | ')} |`,
    );
  }
}

async function measured(attempt: Attempt, names: number) {
  const batches: number[] = [];
  let longest = 0;
  for (let from = 0; from < MEASURED; from += BATCH) {
    const started = process.cpuUsage();
    for (let i = from; i < from + BATCH; i++) {
      const began = process.hrtime.bigint();
      await attempt(i % 2 === 0 ? (i * 7919) % names : 16_000_000 - i);
      longest = Math.max(longest, Number(process.hrtime.bigint() - began) / 1e6);
    }
    const { user, system } = process.cpuUsage(started);
    batches.push((user + system) / BATCH);
  }
  return { batches: batches.sort((a, b) => a - b), longest };
}
