// How the words read. Documents, the help of every command, and the messages and page texts of src/ have no sentence of
// more than 30 words, no chain of relative clauses and no riddle that is known; documents and comments keep to their
// budgets.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { commandsOf } from '../src/cli/run.ts';
import { FEATURES } from '../src/features.ts';
import { project, read, slashes } from './project.ts';

const MAX_WORDS = 30;

const CHAINS: readonly RegExp[] = [
  /\bthat\b.*\bthat\b/i,
  /\bwhat\b.*\bwhat\b/i,
  /\bwhich\b.*\bwhich\b/i,
  /\bwhere\b.*\bwhere\b/i,
  /\bof\b.*\bof\b.*\bof\b/i,
];

/** Said better elsewhere: the usual name of the thing, and a verb with its subject. */
const RIDDLES: readonly RegExp[] = [
  /\bis ever required\b/i,
  /\bof nothing\b/i,
  /\bmade again and compared\b/i,
  /\bwhat is (?:kept|left|asked|meant|here|there|not) (?:of|for|in|by)\b/i,
  /\bin place of what\b/i,
  /\blets an? \w+ begin\b/i,
  /\bwhoever asks first\b/i,
  /\bsomebody without\b/i,
  /\bwhat lies in\b/i,
  /\bwho may go\b/i,
  /\bof a kind, \w+ that\b/i,
  /\bis none of\b/i,
  /\bas ever\b/i,
  /\bplays no part\b/i,
  /\bby itself alone\b/i,
];

/** Words as wc counts them, tables and blocks of code too. Several documents share a budget. */
const BUDGETS: readonly (readonly [documents: string, most: number])[] = [
  ['docs/contract.md', 7000],
  ['docs/security.md SECURITY.md', 1500],
  ['docs/performance.md', 1500],
  ['docs/embedded-engine.md', 3000],
  ['ARCHITECTURE.md', 2000],
  ['docs/reliability.md', 1500],
  ['docs/opensearch.md docs/scaling.md', 2000],
  ['docs/importing.md', 1500],
  ['docs/api.md docs/analysis.md docs/samples.md docs/threads.md', 6000],
  ['docs/settings.md docs/limits.md docs/errors.md', 2500],
  ['docs/operating.md docs/accounts.md', 3500],
  ['README.md', 700],
  ['CONTRIBUTING.md', 1000],
  ['docs/words.md', 500],
];
const MOST_IN_ALL = 45_000;
const MOST_COMMENTS = 0.12;

/** Sentences that have to stay as they are: names, and words of others. */
const EXCEPTIONS: readonly string[] = [];

const documents = globSync(['*.md', '.github/*.md', '{docs,examples,sample}/*.md'], { cwd: project })
  .map(slashes)
  .sort();

/** Paragraphs, list items and cells of a document; a span of code is one word. */
function blocksOf(markdown: string): string[] {
  return markdown
    .replace(/^ *(```|~~~)[\s\S]*?^ *\1 *$/gm, '\n\n')
    .replace(/^ {4,}\S.*$/gm, (line) => (/^ {4,}(?:[-*]|\d+\.) /.test(line) ? line : '\n'))
    .replace(/^\|.*\|$/gm, (row) => `\n\n${row.split(/(?<!\\)\|/).join('\n\n')}\n\n`)
    .replace(/^ *(?:[-*]|\d+\.|#+|>) /gm, '\n\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(`+)[^`]+?\1/g, 'CODE')
    .replace(/\*\*|\*(?=\w)|(?<=\w)\*/g, '')
    .split(/\n\s*\n/);
}

function sentencesOf(block: string): string[] {
  return block
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?…][")”’]*) (?=[("“‘]*[\p{Lu}\d…])/u)
    .map((sentence) => sentence.trim());
}

/**
 * What is wrong with the sentences of these blocks. A chain ends at a semicolon, a colon, and before what was found.
 */
function faultsOf(place: string, blocks: readonly string[]): string[] {
  return blocks.flatMap(sentencesOf).flatMap((sentence) => {
    if (EXCEPTIONS.some((part) => sentence.includes(part))) return [];
    const words = sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const faults = [
      ...(words > MAX_WORDS ? [`${words} words`] : []),
      ...CHAINS.filter((chain) => sentence.split(/[;:] |, found /).some((clause) => chain.test(clause))).map(
        String,
      ),
      ...RIDDLES.filter((riddle) => riddle.test(sentence)).map(String),
    ];
    return faults.map((fault) => `${place}: ${fault}: ${sentence}`);
  });
}

/** A comment, a regular expression behind what may stand before one, or a single character. */
const TOKEN = new RegExp(
  [
    /\/\/.*|\/\*[\s\S]*?\*\//,
    /(?<=(?:[(,=:[!&|?{};>]|return)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/,
    /[\s\S]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);

/** The strings and templates of a source file; what a template puts in is `X`. Strings that are added are one. */
function textsOf(source: string): string[] {
  const texts: string[] = [];
  /** Templates that are open around this place: their text so far, and how many braces are open in them. */
  const around: { text: string; braces: number }[] = [];
  let isJoined = false;
  for (let at = 0; at < source.length; ) {
    const character = source[at]!;
    let text: string | null = null;
    if (character === '}' && around.at(-1)?.braces === 0) text = `${around.pop()!.text}X`;
    else if ('\'"`'.includes(character)) text = isJoined ? texts.pop()! : '';
    if (text === null) {
      TOKEN.lastIndex = at;
      at += TOKEN.exec(source)![0].length;
      if (character === '{' && around.length > 0) around.at(-1)!.braces++;
      if (character === '}' && around.length > 0) around.at(-1)!.braces--;
      if (!/\s/.test(character)) isJoined = character === '+' && texts.length > 0;
      continue;
    }
    const end = character === '}' ? '`' : character;
    for (at++; source[at] !== end && !(end === '`' && source.startsWith('${', at)); at++) {
      if (source[at] === '\\') text += source[++at] === 'n' ? '\n' : source[at];
      else text += source[at];
    }
    if (source[at] === end) texts.push(text);
    else around.push({ text, braces: 0 });
    at += source[at] === end ? 1 : 2;
    isJoined = false;
  }
  return texts;
}

/** Blocks of a text of a page or a message; SQL, programs, commands and lists of words are none. */
function proseOf(text: string): string[] {
  if (/\b(?:SELECT|INSERT|CREATE|UPDATE|DELETE) |[{};]$/m.test(text)) return [];
  return text
    .replace(/<(?:script|style|code|pre)\b[\s\S]*?<\/(?:script|style|code|pre)>/g, 'CODE')
    .replace(/<\/?(?:b|a|em|strong|span|time|i)\b[^>]*>/g, '')
    .replace(/<[^>]*>|^ *- |^ {2,}\S.*$/gm, '\n\n')
    .replace(/(`+)[^`]+?\1/g, 'CODE')
    .split(/\n\s*\n/)
    .filter((block) => block.split(/\s+/).length >= 5 && /[.,;:]/.test(block));
}

describe('how the words read', () => {
  it('documents', () => {
    assert.ok(documents.length > 30);
    const faults = documents.flatMap((path) => faultsOf(path, blocksOf(read(path))));
    assert.deepEqual(faults, []);
  });

  it('help of every command', async () => {
    const check = (command: Command, path: string): string[] => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const blocks = help
        .replace(/^Usage: .*$|^ {2}.*colloquy .*$/gm, '')
        .replace(/^ {2}\S.*? {2,}/gm, '\n\n')
        .split(/\n\s*\n/);
      return [
        ...faultsOf(path, blocks),
        ...command.commands.flatMap((inner) => check(inner, `${path} ${inner.name()}`)),
      ];
    };
    const commands = Object.entries(commandsOf(FEATURES));
    assert.ok(commands.length > 20);
    const faults = await Promise.all(commands.map(async ([name, load]) => check(await load(), name)));
    assert.deepEqual(faults.flat(), []);
  });

  it('messages and texts of pages', () => {
    const files = globSync('src/**/*.ts', { cwd: project }).map(slashes);
    const sources = files.filter((path) => !path.endsWith('.test.ts')).sort();
    const found = sources.map((path) => ({ path, blocks: textsOf(read(path)).flatMap(proseOf) }));
    assert.ok(found.flatMap(({ blocks }) => blocks).length > 1000);
    const faults = found.flatMap(({ path, blocks }) => faultsOf(path, blocks));
    assert.deepEqual(faults, []);
  });

  it('finds what it looks for', () => {
    const long = `One ${'word '.repeat(MAX_WORDS)}.`;
    const chain = 'It tells that one of the names of the files of the folder that is there.';
    const blocks = blocksOf(`${long}\n\n- ${chain}\n\n| None of them is ever required. |\n`);
    assert.equal(faultsOf('', blocks).length, 4);
    const template = ['`b $', "{c ? 'd' : `e`} f`"].join('');
    assert.deepEqual(textsOf(`const a = /'/; f(${template} + 'g');`), ['d', 'e', 'b X fg']);
  });

  it('has few exceptions, and each is of use', () => {
    assert.ok(EXCEPTIONS.length <= 10);
  });
});

describe('budgets of documents', () => {
  for (const [names, most] of BUDGETS) {
    it(`${names}: at most ${most} words`, () => {
      const words = countWords(names.split(' '));
      assert.ok(words <= most, `${words}`);
    });
  }

  it(`all: at most ${MOST_IN_ALL} words`, () => {
    const words = countWords(documents);
    assert.ok(words <= MOST_IN_ALL, `${words}`);
  });
});

it(`at most ${MOST_COMMENTS * 100} % of the lines of src/ that are not blank are comments`, () => {
  const lines = globSync('src/**/*.{ts,js,css}', { cwd: project })
    .filter((path) => !path.includes('.test.'))
    .flatMap((path) => read(path).split('\n'))
    .filter((line) => line.trim() !== '');
  let isInside = false;
  const comments = lines.filter((line) => {
    const isComment = isInside || /^\s*(?:\/\/|\/\*)/.test(line);
    if (isComment && !/^\s*\/\//.test(line)) isInside = !line.includes('*/');
    return isComment;
  });
  const share = comments.length / lines.length;
  assert.ok(share <= MOST_COMMENTS, `${comments.length} of ${lines.length}`);
  assert.ok(share > 0.05, 'the count finds them');
});

function countWords(paths: readonly string[]): number {
  return paths.flatMap((path) => read(path).trim().split(/\s+/)).length;
}
