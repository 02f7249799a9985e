// The OpenAPI document as the documentation reads it: endpoints, each with a page of its own, in groups.

import { endpointPage } from '../addresses/docs.ts';
import type { Schema } from './reference-schema.ts';

/** The parts of the document that we read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Schemas };
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses?: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Answer {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { readonly description?: string }>>;
}

export interface Media {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Endpoint {
  readonly id: string;
  /** `GET`; `GET, HEAD` if both are in the document. */
  readonly method: string;
  /** As in the document: `/api/v1/thread/{post}`. */
  readonly path: string;
  /** The path of its page. */
  readonly page: string;
  readonly title: string;
  readonly needsKey: boolean;
  readonly operation: Operation;
}

/** In the order of the document. HEAD takes the same request as GET, and is described with it. */
export function endpointsOf({ paths }: OpenApi): Endpoint[] {
  return Object.entries(paths).flatMap(([path, { head, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? `${method}${path.replaceAll(/[^a-z0-9]+/gi, '-')}`,
      method: method === 'get' && head !== undefined ? 'GET, HEAD' : method.toUpperCase(),
      path,
      page: endpointPage(path),
      title: operation.summary ?? path,
      needsKey: (operation.security ?? []).length > 0,
      operation,
    })),
  );
}

export interface EndpointGroup {
  readonly name: string;
  /** Those for posts and for comments stand together. */
  readonly rows: readonly (readonly Endpoint[])[];
}

const GROUP_NAMES: Readonly<Record<string, string>> = {
  search: 'Search and read',
  analysis: 'Analyses',
  export: 'Exports',
  datasets: 'Data sets',
  service: 'Service',
};

/** By the tags of the document; those that it does not name come last, under their own names. */
export function groupsOf(endpoints: readonly Endpoint[]): EndpointGroup[] {
  const byTag = Map.groupBy(endpoints, ({ operation: { tags: [tag = 'other'] = [] } }) => tag);
  const known = Object.keys(GROUP_NAMES);
  const tags = [
    ...known.filter((tag) => byTag.has(tag)),
    ...[...byTag.keys()].filter((tag) => !known.includes(tag)),
  ];
  return tags.map((tag) => ({
    name: GROUP_NAMES[tag] ?? tag.charAt(0).toUpperCase() + tag.slice(1),
    rows: [
      ...Map.groupBy(byTag.get(tag)!, ({ path }) =>
        path.replace(/\/(?:posts|comments)(?=\/|$)/, '/…'),
      ).values(),
    ],
  }));
}

/** The examples of a parameter's value, or of a body. */
export function examplesOf({
  example,
  examples,
  schema,
}: Pick<Parameter, 'example' | 'examples' | 'schema'>): unknown[] {
  if (example !== undefined) return [example];
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  return [...(schema?.examples ?? [])];
}

/** The media types of the answer with status 200. */
export function answerTypes({ operation: { responses = {} } }: Endpoint): string[] {
  return Object.keys(responses['200']?.content ?? {});
}
