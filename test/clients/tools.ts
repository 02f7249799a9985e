// Where the programs are that make clients of the OpenAPI document: `.ci/run` installs them; elsewhere the tests skip.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Holds `node_modules/openapi-typescript` and `python/bin/openapi-python-client`. */
const FOLDER = process.env.COLLOQUY_CLIENT_TOOLS ?? '';

export interface Tool {
  readonly path: string;
  /** Why the test cannot run; false: it can. */
  readonly skip: string | false;
}

export const TYPESCRIPT_GENERATOR = tool('node_modules/openapi-typescript/bin/cli.js');
export const PYTHON_GENERATOR = tool('python/bin/openapi-python-client');
export const PYTHON = tool('python/bin/python');

function tool(place: string): Tool {
  const path = join(FOLDER, place);
  if (FOLDER === '') return { path, skip: 'COLLOQUY_CLIENT_TOOLS names no folder' };
  return { path, skip: existsSync(path) ? false : `no ${path}` };
}
