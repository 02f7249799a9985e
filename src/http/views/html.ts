// HTML from tagged templates: values are escaped unless they were made here.

/** Markup that is safe to send. Only `html` and `trusted` make it. */
export class Html {
  readonly #markup: string;

  /** Wraps markup as it is: only `html` and `trusted` may call it. */
  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A value in a template: texts and numbers are escaped; null, undefined and false give nothing; lists are joined. */
type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * Values are safe as text and in double-quoted attributes, and must not be used anywhere else (no tag names,
 * no scripts).
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0]!;
  // Hot: a page of results has thousands of templates.
  for (let at = 0; at < values.length; at++) markup += render(values[at]) + strings[at + 1]!;
  return new Html(markup);
}

/** Markup from our own files, as it is. Never use it for a text from outside. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const ESCAPED = /[&<>"']/;

/** The text, escaped for markup. */
export function escapeText(text: string): string {
  // Most values are numbers, names and words, and a search costs less than replacing nothing.
  if (!ESCAPED.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

function render(value: HtmlValue): string {
  if (typeof value === 'string') return escapeText(value);
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'number') return String(value);
  let markup = '';
  for (const one of value) markup += render(one);
  return markup;
}
