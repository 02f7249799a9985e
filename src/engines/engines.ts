// Which engines there are: what `COLLOQUY_ENGINE` chooses from.

import type { Config } from '../config.ts';
import type { EngineModule } from '../model/engine-module.ts';
import { openSearchSettings } from './opensearch-settings.ts';

/** Each is loaded when it is chosen. Throws a UsageError where its settings cannot be used. */
export const ENGINES: Readonly<Record<Config['engine'], (config: Config) => Promise<EngineModule>>> = {
  embedded: async () => (await import('./embedded/module.ts')).EMBEDDED,
  opensearch: async (config) => {
    const settings = openSearchSettings(config);
    return (await import('./opensearch/module.ts')).openSearchModule(settings);
  },
};

/** The engine that is set. Throws a UsageError where its settings cannot be used. */
export async function engineOf(config: Config): Promise<EngineModule> {
  return await ENGINES[config.engine](config);
}
