// `npm test` imports this first: the processes of one run, their threads and the commands that they start share one
// folder of compiled code. Half of what a short test file takes is stripping types and compiling. They find modules as
// the command line does.

import module from 'node:module';
import { fileURLToPath } from 'node:url';
import '../src/own-modules.ts';

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));
// The runner hands its environment on; where the folder may not be written, nothing is kept.
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
