// What `npm run coverage` prints: the files below 90 %, then the folders where a span that no test reaches needs a
// reason, a comment `// uncovered: …` beside it; the spans that have none, the reasons, and those that nothing needs.

import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

/** Lines with code in them, blocks and functions as branches, and the spans that nothing ran, in their order. */
export interface Reach {
  readonly path: string;
  readonly isLoaded: boolean;
  readonly lines: number;
  readonly missedLines: number;
  readonly branches: number;
  readonly missedBranches: number;
  readonly spans: readonly Span[];
  /** Comments `// uncovered: …` that no span needs. */
  readonly idleReasons: readonly Reason[];
}

/** Lines from 1, both ends included; `code` is what the first of them has in the span. */
export interface Span {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly code: string;
  /** Of the first comment `// uncovered: …` in these lines or on the line before them. */
  readonly reason: string | null;
}

interface Reason {
  readonly line: number;
  readonly text: string;
}

/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ScriptCoverage, as far as it is used here. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

interface FunctionCoverage {
  readonly isBlockCoverage: boolean;
  readonly ranges: readonly Range[];
}

/** Offsets in characters of the source, the end excluded. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/**
 * `paths` from `root`, with slashes; `folder` is what NODE_V8_COVERAGE named. A file that nobody loaded is one span.
 */
export function reachOf(root: string, paths: readonly string[], folder: string): Reach[] {
  const files = paths.map((path) => new SourceReach(path, readFileSync(join(root, path), 'utf8')));
  const byUrl = new Map(files.map((file) => [pathToFileURL(join(root, file.path)).href, file]));
  for (const name of readdirSync(folder).filter((file) => /^coverage-.*\.json$/.test(file))) {
    for (const script of scriptsIn(join(folder, name))) byUrl.get(script.url)?.add(script);
  }
  return files.map((file) => file.result());
}

/** None where the process was killed while it wrote. */
function scriptsIn(file: string): ScriptCoverage[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { result: ScriptCoverage[] }).result;
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** One file, and what the processes told of it so far. */
export class SourceReach {
  readonly path: string;
  /** The source with types and comments blanked: characters keep their places. */
  readonly #code: string;
  readonly #isRun: Uint8Array;
  readonly #branches = new Map<string, Range>();
  readonly #reasons: readonly Reason[];
  #isLoaded = false;

  constructor(path: string, source: string) {
    this.path = path;
    this.#reasons = reasonsIn(source);
    this.#code = withoutComments(stripTypeScriptTypes(source));
    this.#isRun = new Uint8Array(source.length);
  }

  /** Of one process or thread. */
  add({ functions }: ScriptCoverage): void {
    this.#isLoaded = true;
    const counts = new Uint8Array(this.#isRun.length);
    const ranges = functions.flatMap((each) => each.ranges);
    // outer ranges first: the innermost says how often a character was run
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    for (const { startOffset, endOffset, count } of ranges)
      counts.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    for (let at = 0; at < counts.length; at++) if (counts[at] === 1) this.#isRun[at] = 1;
    for (const range of functions.flatMap((each) =>
      each.isBlockCoverage ? each.ranges : each.ranges.slice(0, 1),
    )) {
      this.#branches.set(`${range.startOffset} ${range.endOffset}`, range);
    }
  }

  result(): Reach {
    const spans = this.#spans();
    const branches = [...this.#branches.values()].filter((range) =>
      this.#hasCode(range.startOffset, range.endOffset),
    );
    const missed = branches.filter(({ startOffset, endOffset }) => this.#isMissed(startOffset, endOffset));
    const lines = this.#lines();
    return {
      path: this.path,
      isLoaded: this.#isLoaded,
      lines: lines.length,
      missedLines: lines.filter(([start, end]) => this.#isMissed(start, end)).length,
      branches: branches.length,
      missedBranches: missed.length,
      spans,
      idleReasons: this.#reasons.filter((reason) => !spans.some((span) => isFor(reason, span))),
    };
  }

  /** Where lines with code begin and end. */
  #lines(): [start: number, end: number][] {
    return [...this.#code.matchAll(/.+/g)]
      .map(({ index, 0: line }): [number, number] => [index, index + line.length])
      .filter(([start, end]) => this.#hasCode(start, end));
  }

  #spans(): Span[] {
    const spans: Span[] = [];
    for (let start = this.#isRun.indexOf(0); start >= 0; ) {
      const next = this.#isRun.indexOf(1, start);
      const end = next < 0 ? this.#isRun.length : next;
      if (this.#hasCode(start, end)) spans.push(this.#span(start, end));
      start = next < 0 ? -1 : this.#isRun.indexOf(0, next);
    }
    return spans;
  }

  #span(start: number, end: number): Span {
    const text = this.#code.slice(start, end);
    const from = start + text.search(/\S/);
    const to = start + text.trimEnd().length;
    const [code = ''] = this.#code.slice(from, to).split('\n');
    const lines = { firstLine: this.#lineOf(from), lastLine: this.#lineOf(to) };
    const reason = this.#reasons.find((each) => isFor(each, lines))?.text ?? null;
    return { ...lines, code: code.trim(), reason };
  }

  #lineOf(offset: number): number {
    return this.#code.slice(0, offset).split('\n').length;
  }

  /** None of its code was run. */
  #isMissed(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.#isRun[at] === 1 && isCode(this.#code[at]!)) return false;
    return true;
  }

  /** What stands between `start` and `end` is more than space and the brackets that V8 counts to a neighbour. */
  #hasCode(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (isCode(this.#code[at]!)) return true;
    return false;
  }
}

function reasonsIn(source: string): Reason[] {
  return source.split('\n').flatMap((text, at) => {
    const reason = /(?:^|\s)\/\/ uncovered: (.+)$/.exec(text)?.[1];
    return reason === undefined ? [] : [{ line: at + 1, text: reason.trim() }];
  });
}

function isFor({ line }: Reason, { firstLine, lastLine }: Pick<Span, 'firstLine' | 'lastLine'>): boolean {
  return line >= firstLine - 1 && line <= lastLine;
}

function isCode(character: string): boolean {
  return !/[\s{}();,]/.test(character);
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/\S/g, ' '));
}
