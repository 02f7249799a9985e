// How addresses are written and read, whatever they are of.

import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { readChoice } from '../../operation/parameters.ts';
import { encodeValue, parseQueryString } from '../../operation/query-string.ts';

export const LIST_NAMES = KIND_NAMES;

/** Uses the first of a parameter that is given twice. Throws `bad_encoding`. */
export function readFirst(address: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const { name, value } of readPairs(address)) {
    if (!given.has(name)) given.set(name, value);
  }
  return given;
}

/** Names and values of a query string, in its order. Throws `bad_encoding`. */
export function readGiven(address: string): (readonly [name: string, value: string])[] {
  return readPairs(address).map(({ name, value }) => [name, value] as const);
}

/** In their order. Throws `bad_encoding`. */
export function readPairs(address: string): ReturnType<typeof parseQueryString> {
  const question = address.indexOf('?');
  return parseQueryString(question === -1 ? '' : address.slice(question + 1));
}

type Given = readonly (readonly [name: string, value: string | number | null | undefined])[];

/** The path with `?a=1&b=2`, without parameters that are null or undefined. */
export function pageAddress(path: string, parameters: Given): string {
  const pairs = parameters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${writtenValue(String(value))}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** A value as it stands in the address of a page: spaces as `+`. */
export function writtenValue(text: string): string {
  return encodeValue(text).replaceAll('%20', '+');
}

/** The address with today's names of its parameters: `kind` was `in`, and other services call `query` `q`. */
export function withNewNames(address: string): string {
  const renamed = address.replace(/(?<=[?&])in=/g, 'kind=');
  return /[?&]query=/.test(renamed) ? renamed : renamed.replace(/(?<=[?&])q=/g, 'query=');
}

/** Posts if it is empty. */
export function readKind(text: string): Kind {
  return text === '' ? 'post' : readName('kind', text, LIST_NAMES);
}

/** The first of the choices if it is empty. Throws `malformed_request`. */
export function readListed<Choice extends string>(
  parameter: string,
  text: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return text === '' ? choices[0] : readChoice(parameter, text, choices, 'malformed_request');
}

/** The value with this name. Throws `malformed_request`. */
export function readName<Named extends string>(
  parameter: string,
  text: string,
  names: Readonly<Record<Named, string>>,
): Named {
  const name = readChoice(parameter, text, Object.values<string>(names), 'malformed_request');
  return (Object.keys(names) as Named[]).find((named) => names[named] === name)!;
}
