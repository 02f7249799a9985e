// What `npm run coverage` prints: the files below 90 %, then the folders where a span that no test reaches needs a
// reason, a comment `// uncovered: …` beside it; the spans that have none, the reasons, and those that nothing needs.

import type { Reach, Span } from './coverage-spans.ts';

const ENOUGH = 90;

/** Folders below src/. */
const EXPLAINED = ['search', 'engines', 'accounts', 'removals'];

interface Place extends Span {
  readonly path: string;
}

export function coverageReport(files: readonly Reach[]): string {
  return [...lowFiles(files), '', ...folders(files), '', ...reasons(files), ''].join('\n');
}

/** Spans without a reason in the folders that need one. */
export function unexplained(files: readonly Reach[]): Place[] {
  return places(files).filter(({ reason }) => reason === null);
}

function lowFiles(all: readonly Reach[]): string[] {
  const files = all.filter(({ lines }) => lines > 0);
  const low = files
    .map((file) => ({
      path: file.path,
      lines: lineShare([file]),
      branches: file.isLoaded ? branchShare([file]) : 0,
    }))
    .filter(({ lines, branches }) => Math.min(lines, branches) < ENOUGH);
  low.sort((a, b) => a.lines - b.lines || a.branches - b.branches);
  const loaded = files.filter(({ isLoaded }) => isLoaded);
  return [
    '',
    `| file below ${ENOUGH} % | lines | branches |`,
    '|---|---|---|',
    ...low.map(({ path, lines, branches }) => `| ${path} | ${percent(lines)} | ${percent(branches)} |`),
    '',
    `${loaded.length} files that tests load: ${percent(lineShare(loaded))} of ${sum(loaded, 'lines')} lines, ` +
      `${percent(branchShare(loaded))} of ${sum(loaded, 'branches')} branches; ` +
      `${files.length - loaded.length} files that none loads`,
  ];
}

function folders(files: readonly Reach[]): string[] {
  const rows = EXPLAINED.map((folder) => {
    const inside = files.filter(({ path }) => path.startsWith(`src/${folder}/`));
    const spans = inside.flatMap((file) => file.spans);
    const cells = [
      ...[`src/${folder}`, sum(inside, 'lines'), sum(inside, 'missedLines')],
      ...[sum(inside, 'branches'), sum(inside, 'missedBranches')],
      ...[spans.length, spans.filter(({ reason }) => reason === null).length],
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head =
    '| folder | lines | not reached | branches | not reached | spans not reached | without a reason |';
  return [head, '|---|---|---|---|---|---|---|', ...rows];
}

function reasons(files: readonly Reach[]): string[] {
  const known = places(files).filter(({ reason }) => reason !== null);
  const idle = files.flatMap(({ path, idleReasons }) => idleReasons.map((reason) => ({ path, ...reason })));
  return [
    ...unexplained(files).map((place) => `no reason: ${named(place)}  ${place.code}`),
    ...known.map((place) => `uncovered: ${named(place)}  ${place.reason}`),
    ...idle.map(({ path, line, text }) => `reached, with a reason: ${path}:${line}  ${text}`),
  ];
}

function places(files: readonly Reach[]): Place[] {
  return files
    .filter(({ path }) => EXPLAINED.some((folder) => path.startsWith(`src/${folder}/`)))
    .flatMap(({ path, spans }) => spans.map((span) => ({ path, ...span })));
}

function named({ path, firstLine, lastLine }: Place): string {
  return firstLine === lastLine ? `${path}:${firstLine}` : `${path}:${firstLine}–${lastLine}`;
}

function lineShare(files: readonly Reach[]): number {
  return share(sum(files, 'lines'), sum(files, 'missedLines'));
}

function branchShare(files: readonly Reach[]): number {
  return share(sum(files, 'branches'), sum(files, 'missedBranches'));
}

function share(all: number, missed: number): number {
  return all === 0 ? 100 : (100 * (all - missed)) / all;
}

type Count = 'lines' | 'missedLines' | 'branches' | 'missedBranches';

function sum(files: readonly Reach[], key: Count): number {
  return files.reduce((total, file) => total + file[key], 0);
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}
