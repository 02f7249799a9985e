// HTML from tagged templates: what is put in is escaped, unless it is itself made here.

/** Markup that is safe to send. Made by `html` and `trusted` alone. */
export class Html {
  readonly #markup: string;

  /** Takes markup as it is: only `html` and `trusted` call it. */
  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** What a template takes: texts and numbers are escaped; null, undefined and false give nothing; lists are joined. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Text and double-quoted attribute values are safe; nothing else may be filled in (no tag names, no scripts). */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0]!;
  for (const [at, value] of values.entries()) markup += render(value) + strings[at + 1]!;
  return new Html(markup);
}

/** Markup of our own files, taken as it is. Never a text that came from outside. */
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

/** The text as it stands in markup. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(render).join('');
  return escapeText(String(value));
}
