import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessWatch } from './figures.ts';

describe('figures of the process', () => {
  it('tell that the event loop was held', async () => {
    const watch = new ProcessWatch();
    const longest = async () => {
      const families = await watch.families();
      return families.find(({ name }) => name === 'nodejs_eventloop_lag_max_seconds')!.samples[0]!.value;
    };
    // The watch sees what is late behind its first look, and tells of it at its next one.
    while ((await longest()) === 0) await sleep(10);
    const until = performance.now() + 300;
    while (performance.now() < until);
    while ((await longest()) < 0.2) await sleep(10);
  });
});
