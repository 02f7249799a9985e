// `npm run bench` and `npm run test:long`: run one of the programs that take longer than a test may. A program is a
// file of the given folders whose first comment says how it is called: `npm run SCRIPT -- NAME`.
//
//   node test/programs.ts SCRIPT FOLDER… -- [NAME [words for it]]     without a name: lists them, a line each
//
// `npm run bench -- --records N` has no name either: words that begin with `-` are for `run`.

import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [script = '', ...given] = process.argv.slice(2);
const folders = given.slice(0, given.indexOf('--'));
const words = given.slice(folders.length + 1);

/** Name → its file and what its first comment says. */
const programs = new Map(
  folders
    .flatMap((folder) => globSync(`${folder}/*.{ts,mjs}`))
    .map((file) => [basename(file).replace(/\.\w+$/, ''), file, headOf(file)] as const)
    .filter(([name, , head]) => head.includes(`npm run ${script} -- ${name}`))
    .map(([name, file, head]) => [name, { file, head }]),
);
if (words[0]?.startsWith('-') && programs.has('run')) words.unshift('run');
const [name, ...rest] = words;
const program = programs.get(name ?? '');
if (program === undefined) {
  const lines = [...programs].sort().map(([known, { head }]) => `${known.padEnd(20)} ${aboutOf(head)}\n`);
  process.stdout.write(lines.join(''));
  if (name !== undefined) {
    process.stderr.write(
      `no program is called "${name}": npm run ${script} -- NAME, with one of these names\n`,
    );
    process.exitCode = 2;
  }
} else {
  process.argv.splice(1, Infinity, resolve(program.file), ...rest);
  await import(pathToFileURL(program.file).href);
}

function headOf(file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join(' ');
}

/** The beginning of the first sentence, without how the program is called. */
function aboutOf(head: string): string {
  const about = head
    .replace(/`npm run [^`]*`:? */, '')
    .replace(/npm run .*?(?: {2,}|: |$)/, '')
    .trim();
  const [sentence = ''] = about.split(/(?<=\w)[.:;](?: |$)/);
  return sentence.length > 95 ? `${sentence.slice(0, 94)}…` : sentence;
}
