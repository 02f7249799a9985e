// Places for a far engine: a service over the reference engine, and clients that reach it over a wire with faults.

import type { SearchEngine } from '../../src/model/engine.ts';
import type { EngineOptions } from '../../src/model/engine-module.ts';
import { type EngineHarness, type EnginePlace, type FolderDamage, folderHarness } from '../engine-harness.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { ConnectionLost, Faults } from './faults.ts';
import { RemoteEngine } from './remote-engine.ts';
import { RemoteService } from './service.ts';

export interface RemotePlace extends EnginePlace<FolderDamage> {
  readonly faults: Faults;
  /** null while no client is there. */
  readonly service: RemoteService | null;
}

export interface RemoteHarness extends EngineHarness<FolderDamage> {
  place(): RemotePlace;
}

/** `damages`: of the reference engine's files, which the service keeps. */
export function remoteHarness(
  seed: number,
  damages: readonly FolderDamage[] | string = 'nothing is damaged here',
): RemoteHarness {
  return {
    name: `remote engine (seed ${seed})`,
    damages,
    place: () => remotePlace(seed),
    splitsBatches: true,
  };
}

/** The service is started with the first client and stopped with the last: what it acknowledged is there again. */
function remotePlace(
  seed: number,
  kept = folderHarness('reference engine', openReferenceEngine).place(),
): RemotePlace {
  const faults = new Faults(seed);
  let service: Promise<RemoteService> | null = null;
  let running: RemoteService | null = null;
  let clients = 0;
  let names = 0;
  const start = async ({ rules }: EngineOptions) => {
    running = new RemoteService(await kept.open({ rules }), faults);
    return running;
  };
  const leave = async () => {
    if (--clients > 0) return;
    const last = service;
    service = null;
    running = null;
    await (await last)?.[Symbol.asyncDispose]();
  };
  return {
    faults,
    get service() {
      return running;
    },
    open: async (options): Promise<SearchEngine> => {
      clients++;
      service ??= start(options);
      const reached = await service;
      const send = (request: Uint8Array) => overWire(reached, faults, request);
      return new RemoteEngine(send, String(names++), leave, options.removals);
    },
    damage: (way, kind) => kept.damage(way, kind),
    copy: () => remotePlace(seed, kept.copy()),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

async function overWire(service: RemoteService, faults: Faults, request: Uint8Array): Promise<Uint8Array> {
  await faults.delay();
  if (faults.isDown || faults.befalls('request lost')) throw new ConnectionLost('request lost');
  if (faults.befalls('request twice')) {
    void faults.delay().then(() => service.handle(request).catch(() => undefined));
  }
  const reply = await service.handle(request);
  await faults.delay();
  if (faults.befalls('answer lost')) throw new ConnectionLost('answer lost');
  return reply;
}
