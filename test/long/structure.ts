// The structure of a checkout in figures: rooms with their files and lines, arrows between them, circles, and
// the files that import most. A room is a folder; where a folder has others in it, those of its own files
// that reach into them are a room on top of them (`src/http ↑`). What tests is not counted under src/.
// `npm run test:long -- structure [checkout …]`: of one checkout or several, by their paths; without one, of this one.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circlesIn, type SourceFile, sourceFiles } from '../source-tree.ts';

const ROWS = 10;
const FOLDERS = ['src', 'bench', 'test'];

const here = fileURLToPath(new URL('../..', import.meta.url));
const given = process.argv.slice(2);
for (const checkout of given.length === 0 ? [here] : given) tell(resolve(checkout));

function tell(checkout: string): void {
  const files = sourceFiles(checkout, FOLDERS).filter(
    ({ path }) => !(path.startsWith('src/') && path.endsWith('.test.ts')),
  );
  const known = new Set(files.map(({ path }) => path));
  const arrows = new Map(
    files.map(({ path, targets }) => [path, targets.filter((target) => known.has(target))]),
  );
  const upper = new Set([...known].filter((path) => reachesInto(path, arrows)));
  const roomOf = (path: string) => `${folderOf(path)}${upper.has(path) ? ' ↑' : ''}`;
  const rooms = Map.groupBy(files, ({ path }) => roomOf(path));
  const roomArrows = arrowsOfRooms(arrows, roomOf);
  say(`${checkout}: ${files.length} files, ${sum(files.map(linesOf))} lines, ${rooms.size} rooms\n`);
  say('room | files | lines | imports from (how many imports)');
  for (const [room, members] of [...rooms].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const counts = [...(roomArrows.get(room) ?? [])].sort((a, b) => b[1] - a[1]);
    const line = counts.map(([target, count]) => `${target} (${count})`).join(', ');
    say(`${room} | ${members.length} | ${sum(members.map(linesOf))} | ${line || 'nothing'}`);
  }
  sayCircles('files', circlesIn(arrows));
  sayCircles('rooms', circlesIn(new Map([...roomArrows].map(([room, targets]) => [room, targets.keys()]))));
  say(`\nthe ${ROWS} files that import most others of the checkout:`);
  const widest = [...arrows].map(([path, targets]) => [path, new Set(targets).size] as const);
  for (const [path, width] of widest.sort((a, b) => b[1] - a[1]).slice(0, ROWS)) say(`${width}  ${path}`);
  say('');
}

/** What stands in `src/` itself is a folder each. */
function folderOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return folder === 'src' ? path : folder;
}

/** Whether the file imports one of a folder inside its own, itself or by others of its own folder. */
function reachesInto(
  path: string,
  arrows: ReadonlyMap<string, readonly string[]>,
  seen = new Set<string>(),
): boolean {
  if (seen.has(path)) return false;
  seen.add(path);
  const folder = folderOf(path);
  return (arrows.get(path) ?? []).some((target) =>
    folderOf(target) === folder
      ? reachesInto(target, arrows, seen)
      : folderOf(target).startsWith(`${folder}/`),
  );
}

/** Room → other rooms that its files import from, each with the number of imports. */
function arrowsOfRooms(
  arrows: ReadonlyMap<string, readonly string[]>,
  roomOf: (path: string) => string,
): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const [path, targets] of arrows) {
    const room = roomOf(path);
    const counts = found.get(room) ?? new Map<string, number>();
    found.set(room, counts);
    for (const target of targets.map(roomOf)) {
      if (target !== room) counts.set(target, (counts.get(target) ?? 0) + 1);
    }
  }
  return found;
}

function sayCircles(what: string, circles: readonly string[]): void {
  say(`\ncircles of ${what}: ${circles.length}`);
  for (const circle of circles) say(`  ${circle}`);
}

function linesOf({ text }: SourceFile): number {
  return text.split('\n').length - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
