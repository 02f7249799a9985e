// The current search as a link and as example programs for posts and comments. Tests run every program.

import { endpointPath, requestAddress, underPair } from '../../http/addresses.ts';
import type { ResultsFound, ResultsPart } from '../../http/site/site.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Order } from '../../model/pages.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';

/** Languages whose programs fetch the first page of a search. */
export const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const;

/** Adds the languages whose programs read every match as a table. */
export const COPIED_LANGUAGES = ['curl', 'Python', 'R', 'DuckDB', 'JavaScript'] as const;

export type Language = (typeof LANGUAGES)[number];

export type CopiedLanguage = (typeof COPIED_LANGUAGES)[number];

interface ExampleRequest {
  readonly publicAddress: string;
  readonly kind: Kind;
  readonly query: string;
  /** Only for comments: a query that their post must match; absent or null: any post. */
  readonly under?: string | null;
  /** Absent: newest first. */
  readonly order?: Order;
}

/**
 * A complete program; for curl and DuckDB, shell commands. curl, Python and JavaScript print the response of a search;
 * R and DuckDB load every match as a table and print the number of rows. The API key comes from the environment
 * variable `COLLOQUY_KEY`.
 */
export function exampleRequest(language: CopiedLanguage, request: ExampleRequest): string {
  const { publicAddress, kind, query, under = null, order = 'newest' } = request;
  const asked = [['query', query] as const, ...underPair(kind === 'comment' ? under : null)];
  const name = KIND_NAMES[kind];
  const of = (path: string, others: typeof asked) => {
    const values = [...asked, ...others];
    return { publicAddress, path, values, address: requestAddress(path, {}, values), needsKey: true };
  };
  const format = language === 'R' ? 'csv' : language === 'DuckDB' ? 'parquet' : null;
  if (format === null) {
    const ordered = of(endpointPath('search', kind), order === 'newest' ? [] : [['order_by', order]]);
    return program(language, ordered, PRINT_COUNTS);
  }
  const table = of(endpointPath('export', kind), [
    ['order_by', order],
    ['format', format],
  ]);
  return program(language, table, {
    ...saveAs(`${name}.parquet`, true),
    R: `${name} <- read.csv(
  url(address, headers = c(Authorization = key), encoding = "UTF-8"),
  colClasses = "character"
)
print(nrow(${name}))`,
  });
}

interface ProgramRequest {
  readonly publicAddress: string;
  readonly path: string;
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly address: string;
  readonly needsKey: boolean;
}

/** What a program does with the response: the last lines of each language, and the SQL of DuckDB. */
interface Ending extends Readonly<Record<Exclude<CopiedLanguage, 'curl'>, string>> {
  /** The file that the response is saved in; absent: it is printed. */
  readonly file?: string;
}

const PRINT_COUNTS: Ending = {
  Python: `page = json.load(urllib.request.urlopen(request))
print(page["total_count"], len(page["data"]))`,
  JavaScript: `const page = await response.json();
console.log(page.total_count, page.data.length);`,
  ...{ R: '', DuckDB: '' },
};

export function printJson(needsKey: boolean): Ending {
  return {
    Python: `answer = json.load(urllib.request.urlopen(request))
print(json.dumps(answer, indent=2))`,
    JavaScript: `const answer = await response.json();
console.log(answer);`,
    R: `answer <- jsonlite::fromJSON(url(address${needsKey ? KEY_OF_R : ''}))
str(answer)`,
    DuckDB: "SELECT * FROM 'answer.json'",
  };
}

export function saveAs(file: string, needsKey: boolean): Ending {
  return {
    file,
    Python: `with urllib.request.urlopen(request) as answer, open("${file}", "wb") as file:
    shutil.copyfileobj(answer, file)`,
    JavaScript: `if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('${file}', response.body);`,
    R: `download.file(address, "${file}"${needsKey ? KEY_OF_R : ''}, mode = "wb")`,
    DuckDB: `SELECT count(*) FROM '${file}'`,
  };
}

const KEY_OF_R = ', headers = c(Authorization = key)';

export function program(language: CopiedLanguage, request: ProgramRequest, ending: Ending): string {
  const { publicAddress, path, values, address, needsKey } = request;
  const { file } = ending;
  const pairs = values.map(([name, value]) => [literal(name), literal(value)].join(', '));
  const imports = (...lines: readonly (string | false)[]) => lines.filter((line) => line !== false);
  switch (language) {
    case 'curl':
      return curl(request, file);
    case 'DuckDB':
      return `${curl(request, file ?? 'answer.json')}\nduckdb -c "${ending.DuckDB}"`;
    case 'R':
      return `address <- "${publicAddress}${address}"${needsKey ? '\nkey <- paste("Bearer", Sys.getenv("COLLOQUY_KEY"))' : ''}
${ending.R}`;
    case 'Python': {
      const parts = pairs.length > 0 && 'urllib.parse';
      const used = imports(file === undefined && 'json', needsKey && 'os', file !== undefined && 'shutil');
      return `import ${imports(...used, parts, 'urllib.request').join(', ')}

${pairs.length === 0 ? '' : `search = urllib.parse.urlencode([${pairs.map((pair) => `(${pair})`).join(', ')}])\n`}request = urllib.request.Request(
    "${publicAddress}${path}${pairs.length === 0 ? '"' : '?" + search'},${needsKey ? '\n    headers={"Authorization": "Bearer " + os.environ["COLLOQUY_KEY"]},' : ''}
)
${ending.Python}`;
    }
    case 'JavaScript': {
      const used = imports(
        file !== undefined && "import { writeFile } from 'node:fs/promises';\n",
        needsKey && "import { env } from 'node:process';\n",
      );
      return `${used.join('')}${used.length === 0 ? '' : '\n'}${pairs.length === 0 ? '' : `const search = new URLSearchParams([\n${pairs.map((pair) => `  [${pair}],\n`).join('')}]);\n`}const response = await fetch('${publicAddress}${path}${pairs.length === 0 ? "'" : "?' + search"}${needsKey ? ", {\n  headers: { Authorization: 'Bearer ' + env.COLLOQUY_KEY },\n}" : ''});
${ending.JavaScript}`;
    }
  }
}

/** `file`: absent: the response is printed. */
function curl({ publicAddress, address, needsKey }: ProgramRequest, file?: string): string {
  const key = needsKey ? ' \\\n  -H "Authorization: Bearer $COLLOQUY_KEY"' : '';
  return `curl ${file === undefined ? '' : '--fail '}'${publicAddress}${address}'${key}${file === undefined ? '' : ` \\\n  -o ${file}`}`;
}

/** A string literal of Python and JavaScript; escapes invisible characters, so that nobody copies one unseen. */
function literal(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The "Copy as" panel beside the results; contains no API key. */
export function copyPanel({ address, frame, query, under, order }: ResultsFound): ResultsPart {
  const search = { publicAddress: frame.publicAddress, query, under, order };
  const beside = html`<details class="panel"><summary><h2>Copy as</h2></summary>
<p class="hint" id="copy">This search as a link to share and as code. <a href="/docs">API documentation</a></p>
<details class="inner" name="language"><summary>Link</summary>
<div class="example"><h3>This page</h3><button type="button" class="copy" hidden data-copy aria-label="Copy link to this page">Copy</button><pre tabindex="0" aria-label="Link to this page"><code>${search.publicAddress}${address}</code></pre></div>
</details>
${COPIED_LANGUAGES.map(
  (
    language,
  ) => html`<details class="inner" name="language"${language === 'curl' ? html` open` : null}><summary>${language}</summary>
${exampleBlock('Posts', exampleRequest(language, { ...search, kind: 'post' }), language)}
${exampleBlock('Comments', exampleRequest(language, { ...search, kind: 'comment' }), language)}
</details>`,
)}</details>`;
  return { beside };
}

function exampleBlock(title: string, code: string, language: string): Html {
  return html`<div class="example"><h3>${title}</h3><button type="button" class="copy" hidden data-copy aria-label="Copy ${title.toLowerCase()} example in ${language}">Copy</button><pre tabindex="0" aria-label="${title}, ${language}"><code>${code}</code></pre></div>`;
}

/**
 * Radio buttons that choose the language of all programs of a page; use once per page. The style sheet applies the
 * choice without script; the script keeps it across pages.
 */
export function languageChoice(): Html {
  return html`<fieldset class="languages" data-languages><legend>Language</legend>
${COPIED_LANGUAGES.map((language, at) => {
  const name = language.toLowerCase();
  return html`<label><input type="radio" name="language" value="${name}" id="language-${name}"${at === 0 ? html` checked` : null}>${language}</label>`;
})}</fieldset>`;
}

/** The programs in the order of COPIED_LANGUAGES. A language without one names those that have one. */
export function programs(title: string, byLanguage: ReadonlyMap<CopiedLanguage, string>): Html {
  const names = [...byLanguage.keys()].join(', ');
  return html`<div class="programs">
${COPIED_LANGUAGES.map((language) => {
  const code = byLanguage.get(language);
  return html`<div class="program ${language.toLowerCase()}">${code === undefined ? html`<p class="hint">${title}: in ${names}.</p>` : codeBlock(`${title}, ${language}`, language, code)}</div>`;
})}</div>`;
}

export function codeBlock(title: string, name: string, code: string): Html {
  return html`<div class="block"><p class="bar-of-code">${name}</p><button type="button" class="copy" hidden data-copy aria-label="Copy: ${title}">Copy</button><pre tabindex="0" aria-label="${title}"><code>${code}</code></pre></div>`;
}
