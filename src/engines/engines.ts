// Which engines there are: what `COLLOQUY_ENGINE` chooses from.

import type { Config } from '../config.ts';
import type { EngineModule } from '../model/engine-module.ts';

/** Each is loaded when it is chosen. */
export const ENGINES: Readonly<Record<Config['engine'], () => Promise<EngineModule>>> = {
  embedded: async () => (await import('./embedded/module.ts')).EMBEDDED,
};
