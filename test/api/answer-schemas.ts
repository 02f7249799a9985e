// Validators made of the OpenAPI document: whether an answer is what the document says of its path and status. The
// document is open to new fields and codes; for our own answers it is closed again, so that none comes in unseen.

import { Compile, type Validator } from 'typebox/schema';
import { PROBLEMS, type ProblemCode } from '../../src/errors.ts';

const PROBLEM_TYPE = 'application/problem+json';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly links?: Readonly<Record<string, { readonly parameters: Readonly<Record<string, string>> }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly examples?: Record<string, { value: unknown }> }>
  >;
}

/** How often a schema is looked into inside itself. */
const MAX_NESTED = 4;

/** Compiled schemas of one document. */
export class AnswerSchemas {
  readonly #document: OpenApiDocument;
  readonly #isClosed: boolean;
  readonly #validators = new Map<string, Validator>();

  /** `closed`: fields and codes that the document does not name are faults; `open`: as the document says. */
  constructor(document: OpenApiDocument, form: 'closed' | 'open' = 'closed') {
    this.#document = document;
    this.#isClosed = form === 'closed';
  }

  /** What is wrong with an answer to `GET` on this path; empty: nothing. `mediaType` without parameters. */
  faults(path: string, status: number, mediaType: string, body: unknown): readonly string[] {
    const response = this.#document.paths[path]?.get?.responses[status];
    if (response === undefined) return [`the document knows no ${status} of ${path}`];
    const schema = response.content?.[mediaType]?.schema;
    if (schema === undefined) return [`the document knows no ${mediaType} for ${status} of ${path}`];
    const validator = this.validator(schema);
    if (!validator.Check(body)) return validator.Errors(body)[1].map((error) => JSON.stringify(error));
    if (!this.#isClosed || mediaType !== PROBLEM_TYPE) return [];
    const { code, status: told } = body as { readonly code: string; readonly status: number };
    const meant = PROBLEMS[code as ProblemCode]?.status;
    return meant === status && told === status
      ? []
      : [`${status} with \`${code}\` of ${meant}, told as ${told}`];
  }

  /** A validator of a schema of the document, whose references are resolved in it. */
  validator(schema: object): Validator {
    const key = JSON.stringify(schema);
    const known = this.#validators.get(key);
    if (known !== undefined) return known;
    const validator = Compile(this.#withoutReferences(schema, []) as never) as Validator;
    this.#validators.set(key, validator);
    return validator;
  }

  /** `within`: the references that led here. A schema that leads to itself is looked into MAX_NESTED times. */
  #withoutReferences(schema: unknown, within: readonly string[]): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#withoutReferences(item, within));
    if (typeof schema !== 'object' || schema === null) return schema;
    if ('$ref' in schema) {
      const reference = String(schema.$ref);
      if (within.filter((other) => other === reference).length > MAX_NESTED) return {};
      return this.#withoutReferences(this.resolve(reference), [...within, reference]);
    }
    const resolved = Object.entries(schema).map(([key, value]) => [
      key,
      this.#withoutReferences(value, within),
    ]);
    const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object';
    if (this.#isClosed && isObject) resolved.push(['additionalProperties', false]);
    return Object.fromEntries(resolved);
  }

  /** The schema behind `#/components/schemas/…`. Throws where there is none. */
  resolve(reference: string): object {
    const name = reference.replace('#/components/schemas/', '');
    const schema = this.#document.components.schemas[name];
    if (schema === undefined) throw new Error(`no schema behind ${reference}`);
    return schema;
  }
}
