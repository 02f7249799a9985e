// Builders of JSON Schema, of which the tables of parameters and the shapes of answers are made. What a builder knows
// comes first, then the options, in their order: the OpenAPI document shows them so.

export interface Schema {
  readonly [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, Schema>>;

export interface ObjectSchema extends Schema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Properties;
}

/** Schemas of properties that may be absent. */
const optional = new WeakSet<Schema>();

function typed(type: string) {
  return (options: Schema = {}): Schema => ({ type, ...options });
}

export const Type = {
  String: typed('string'),
  Integer: typed('integer'),
  Number: typed('number'),
  Boolean: typed('boolean'),
  Null: typed('null'),
  Nullable: (type: string, options: Schema): Schema => ({ type: [type, 'null'], ...options }),
  Literal: (value: string | number | boolean): Schema => ({ type: typeof value, const: value }),
  Enum: (values: readonly string[], options: Schema): Schema => ({ enum: values, ...options }),
  Ref: ($ref: string): Schema => ({ $ref }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  /** A schema without a builder of its own. */
  Unsafe: (schema: Schema): Schema => ({ ...schema }),

  /** A property that may be absent. */
  Optional: (schema: Schema): Schema => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },

  Object: <Named extends Properties>(
    properties: Named,
    options: Schema = {},
  ): ObjectSchema & { readonly properties: Named } => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },
};
