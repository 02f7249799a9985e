// TypeScript to JavaScript, for the package: Node does not strip types below node_modules.
//
// Node's own stripping, as in every test: types become spaces, so lines and columns are those of the source, and stack
// traces are right without a source map. TypeScript's compiler would reformat the code, and would leave `new
// URL('./worker.ts', import.meta.url)` as it is.

import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path/posix';

/** https://tc39.es/ecma426/: enough of it for a map from one source to itself. */
export interface SourceMap {
  readonly version: 3;
  readonly file: string;
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

export interface JavaScript {
  readonly code: string;
  readonly map: SourceMap;
}

/** A relative name of a TypeScript file: in an import, static or dynamic, or in the URL of a worker's entry. */
const RELATIVE_NAME = /(['"`])(\.{1,2}\/[^'"`\n]*)\.ts\1/g;

/**
 * `name`: the file's own, `worker.ts`. Names of other files get the ending `.js`, as long as `.ts`. The code ends with
 * the name of its map, `worker.js.map`. Throws a SyntaxError if types cannot be stripped.
 */
export function toJavaScript(source: string, name: string): JavaScript {
  const code = withJavaScriptNames(stripTypeScriptTypes(source, { mode: 'strip' }));
  const file = `${basename(name, '.ts')}.js`;
  return {
    code: `${code.trimEnd()}\n//# sourceMappingURL=${file}.map\n`,
    map: {
      version: 3,
      file,
      sources: [basename(name)],
      sourcesContent: [source],
      names: [],
      mappings: sameplaceMappings(code.trimEnd()),
    },
  };
}

/** JavaScript with names of TypeScript files replaced by those of the built files. */
export function withJavaScriptNames(code: string): string {
  return code.replace(RELATIVE_NAME, '$1$2.js$1');
}

/** Relative names of TypeScript files in a source, without their extension: `./worker`. */
export function relativeNames(source: string): string[] {
  return [...source.matchAll(RELATIVE_NAME)].map(([, , name]) => name!);
}

/** Maps every word of the code to the same line and column of its source. */
function sameplaceMappings(code: string): string {
  let line = 0;
  let column = 0;
  const lines = code.split('\n').map((text, row) => {
    let behind = 0;
    return [...text.matchAll(/[\w$]+|[^\s\w$]/g)]
      .map(({ index }) => {
        const segment = [index - behind, 0, row - line, index - column].map(base64Vlq).join('');
        behind = index;
        line = row;
        column = index;
        return segment;
      })
      .join(',');
  });
  return lines.join(';');
}

/** https://tc39.es/ecma426/#sec-base64-vlq: five bits a digit, lowest first; the lowest bit of all is the sign. */
function base64Vlq(value: number): string {
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let left = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = left & 31;
    left >>>= 5;
    text += DIGITS[left > 0 ? digit | 32 : digit];
  } while (left > 0);
  return text;
}
