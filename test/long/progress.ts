// How far a long test has come, on standard error: what is done, how fast, and how long the rest takes at that rate.

/** Milliseconds between two lines. */
const EVERY = 10_000;

/** To be called with how many of `total` are done; writes a line at most every ten seconds. */
export function progressOf(total: number, what: string): (done: number) => void {
  const started = performance.now();
  let told = started;
  return (done) => {
    const now = performance.now();
    if (now - told < EVERY) return;
    told = now;
    const perSecond = (done / (now - started)) * 1_000;
    const left = (total - done) / perSecond;
    process.stderr.write(
      `${done} of ${total} ${what}, ${perSecond.toPrecision(2)} a second, ${timeWords(left)} left\n`,
    );
  };
}

function timeWords(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
