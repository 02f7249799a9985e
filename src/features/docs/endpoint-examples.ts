// Example programs for every endpoint in each language, made from the examples of the OpenAPI document. Tests run them.

import { analysisPath, requestAddress } from '../../http/addresses.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type CopiedLanguage, exampleRequest } from './api-examples.ts';
import { answerTypes, type Endpoint, examplesOf, type Parameter } from './openapi-document.ts';

/** A parameter and its value; names may repeat. */
export type ExampleValue = readonly [name: string, value: string];

interface EndpointExample {
  readonly values: readonly ExampleValue[];
  readonly parts: Readonly<Record<string, string>>;
  readonly address: string;
  readonly path: string;
}

export function endpointExample({
  path: written,
  operation: { parameters = [] },
}: Endpoint): EndpointExample {
  const required = parameters.filter(({ required: isRequired }) => isRequired);
  const parts = Object.fromEntries(required.filter((parameter) => parameter.in === 'path').flatMap(valuesOf));
  const values = required.filter((parameter) => parameter.in === 'query').flatMap(valuesOf);
  const path = requestAddress(written, parts, []);
  return { values, parts, path, address: requestAddress(written, parts, values) };
}

/** All examples of a repeatable parameter; the first example of any other. */
export function valuesOf(parameter: Parameter): ExampleValue[] {
  const examples = examplesOf(parameter).flat();
  const isMany = parameter.schema?.type === 'array';
  return (isMany ? examples : examples.slice(0, 1)).map((value) => [parameter.name, String(value)]);
}

/**
 * A complete program that prints or saves the response; for curl and DuckDB, shell commands. The API key comes from the
 * environment variable `COLLOQUY_KEY`.
 */
export function endpointRequest(language: CopiedLanguage, endpoint: Endpoint, publicAddress: string): string {
  const { values, address } = endpointExample(endpoint);
  const [, query] = values.find(([name]) => name === 'query') ?? [];
  const isTable = language === 'R' || language === 'DuckDB';
  const searched = kindAt('search', endpoint) ?? (isTable ? kindAt('export', endpoint) : null);
  if (searched !== null && query !== undefined) {
    return exampleRequest(language, {
      publicAddress,
      kind: searched,
      query,
      ...(isTable && { order: 'oldest' }),
    });
  }
  const file = fileOf(endpoint, address);
  const request = { ...endpointExample(endpoint), publicAddress, needsKey: endpoint.needsKey };
  return file === null ? jsonProgram(language, request) : fileProgram(language, request, file);
}

function kindAt(name: string, { path }: Endpoint): Kind | null {
  return KINDS.find((kind) => analysisPath(name, kind) === path) ?? null;
}

/** The file name for a response that is saved; null if it is JSON, which is printed. */
function fileOf(endpoint: Endpoint, address: string): string | null {
  const types = answerTypes(endpoint);
  if (types.includes('application/json')) return null;
  if (types.includes('application/x-ndjson'))
    return `${/(posts|comments)/.exec(address)?.[0] ?? 'records'}.ndjson`;
  return address.split('/').at(-1)!;
}

interface Request extends EndpointExample {
  readonly publicAddress: string;
  readonly needsKey: boolean;
}

function jsonProgram(language: CopiedLanguage, request: Request): string {
  const { publicAddress, path, values, needsKey } = request;
  switch (language) {
    case 'curl':
      return curl(request, '');
    case 'Python':
      return `import json, ${needsKey ? 'os, ' : ''}urllib.${values.length > 0 ? 'parse, urllib.' : ''}request

${pythonRequest(request)}
answer = json.load(urllib.request.urlopen(request))
print(json.dumps(answer, indent=2))`;
    case 'JavaScript':
      return `${needsKey ? "import { env } from 'node:process';\n\n" : ''}${javaScriptRequest(publicAddress + path, request)}
const answer = await response.json();
console.log(answer);`;
    case 'R':
      return `${rAddress(request)}
answer <- jsonlite::fromJSON(url(address${needsKey ? ', headers = c(Authorization = key)' : ''}))
str(answer)`;
    case 'DuckDB':
      return `${curl(request, '--fail ')} \\
  -o answer.json
duckdb -c "SELECT * FROM 'answer.json'"`;
  }
}

function fileProgram(language: CopiedLanguage, request: Request, file: string): string {
  const { publicAddress, path, values, needsKey } = request;
  switch (language) {
    case 'curl':
      return `${curl(request, '--fail ')} \\\n  -o ${file}`;
    case 'Python':
      return `import os, shutil, urllib.${values.length > 0 ? 'parse, urllib.' : ''}request

${pythonRequest(request)}
with urllib.request.urlopen(request) as answer, open("${file}", "wb") as file:
    shutil.copyfileobj(answer, file)`;
    case 'JavaScript':
      return `import { writeFile } from 'node:fs/promises';
${needsKey ? "import { env } from 'node:process';\n" : ''}
${javaScriptRequest(publicAddress + path, request)}
if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('${file}', response.body);`;
    case 'R':
      return `${rAddress(request)}
download.file(address, "${file}"${needsKey ? ', headers = c(Authorization = key)' : ''}, mode = "wb")`;
    case 'DuckDB':
      return `${curl(request, '--fail ')} \\
  -o ${file}
duckdb -c "SELECT count(*) FROM '${file}'"`;
  }
}

function curl({ publicAddress, address, needsKey }: Request, flags: string): string {
  const key = needsKey ? ' \\\n  -H "Authorization: Bearer $COLLOQUY_KEY"' : '';
  return `curl ${flags}'${publicAddress}${address}'${key}`;
}

function pythonRequest({ publicAddress, path, values, needsKey }: Request): string {
  const pairs = values.map(([name, value]) => `(${JSON.stringify(name)}, ${JSON.stringify(value)})`);
  const given = pairs.length === 0 ? '' : `search = urllib.parse.urlencode([${pairs.join(', ')}])\n`;
  const address = `"${publicAddress}${path}${pairs.length === 0 ? '"' : '?" + search'}`;
  const headers = needsKey ? '\n    headers={"Authorization": "Bearer " + os.environ["COLLOQUY_KEY"]},' : '';
  return `${given}request = urllib.request.Request(\n    ${address},${headers}\n)`;
}

function javaScriptRequest(address: string, { values, needsKey }: Request): string {
  const pairs = values.map(([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],\n`);
  const search = pairs.length === 0 ? '' : `const search = new URLSearchParams([\n${pairs.join('')}]);\n`;
  const written = pairs.length === 0 ? `'${address}'` : `'${address}?' + search`;
  const options = needsKey ? ", {\n  headers: { Authorization: 'Bearer ' + env.COLLOQUY_KEY },\n}" : '';
  return `${search}const response = await fetch(${written}${options});`;
}

function rAddress({ publicAddress, address, needsKey }: Request): string {
  const key = needsKey ? '\nkey <- paste("Bearer", Sys.getenv("COLLOQUY_KEY"))' : '';
  return `address <- "${publicAddress}${address}"${key}`;
}
