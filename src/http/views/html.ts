// HTML from tagged templates: values are escaped unless they were made here. Below, what forms are made of: labelled
// fields with their errors beside them, choices, buttons, menus, the hidden token; what is wrong with a form, and the
// summary of that.

import { MAX_NAME_LENGTH } from '../../accounts/secrets.ts';

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

export interface Field {
  /** Also its id. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'number';
  readonly value?: string;
  readonly hint?: string;
  /** What is wrong with the value; shown below the hint. */
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** Puts the focus here when the page opens; for pages with one form. */
  readonly hasFocus?: boolean;
}

export function textField(field: Field): Html {
  const { name, label, type = 'text', value = '', hint, error, autocomplete, maxLength } = field;
  const notes = [
    hint === undefined ? null : `${name}-hint`,
    error === undefined ? null : `${name}-error`,
  ].filter((id) => id !== null);
  return html`<div class="field${error === undefined ? '' : ' wrong'}">
<label for="${name}">${label}</label>
${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error === undefined ? null : html`<p class="error" id="${name}-error">${error}</p>`}
<input id="${name}" name="${name}" type="${type}" value="${value}"${
    notes.length === 0 ? null : html` aria-describedby="${notes.join(' ')}"`
  }${error === undefined ? null : html` aria-invalid="true"`}${
    autocomplete === undefined ? null : html` autocomplete="${autocomplete}"`
  }${field.isRequired ? html` required` : null}${maxLength === undefined ? null : html` maxlength="${maxLength}"`}${field.hasFocus ? html` autofocus` : null}>
</div>`;
}

/** Values, with what people read in place of each; a list stands for itself. In their order; whole numbers first. */
type Choices = readonly string[] | Readonly<Record<string, string>>;

function labelled(choices: Choices): readonly (readonly [value: string, label: string])[] {
  return Array.isArray(choices) ? choices.map((value) => [value, value]) : Object.entries(choices);
}

export function radios(legend: string, name: string, choices: Choices, chosen: string): Html {
  return html`<fieldset class="choice"><legend>${legend}</legend>
${labelled(choices).map(
  ([value, label]) =>
    html`<label><input type="radio" name="${name}" value="${value}"${value === chosen ? html` checked` : null}> ${label}</label>`,
)}
</fieldset>`;
}

export function select(label: string, name: string, choices: Choices, chosen: string): Html {
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">
${labelled(choices).map(
  ([value, text]) =>
    html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`,
)}
</select></div>`;
}

export function submitButton(label: string): Html {
  return html`<button class="primary" type="submit">${label}</button>`;
}

/** A button, and the sheet that it opens, without script, wherever in the page that stands. */
export function menu(
  id: string,
  words: string,
  content: Html,
  label?: string,
): Record<'button' | 'sheet', Html> {
  const named = label === undefined ? null : html` aria-label="${label}"`;
  return {
    button: html`<button type="button" popovertarget="${id}"${named}>${words}</button>`,
    sheet: html`<div popover id="${id}" class="menu">${content}</div>\n`,
  };
}

export const TOKEN_FIELD = 'token';

export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${formToken}">`;
}

/** What is wrong with a form, by the name of the field; `form`: with no particular field. */
export type Faults = Readonly<Record<string, string>>;

export const NO_FAULTS: Faults = {};

export function faults(found: Readonly<Record<string, string | undefined>>): Faults {
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function hasFaults(found: Faults): boolean {
  return Object.keys(found).length > 0;
}

/** At the top of the page, with the focus and a link to each wrong field; nothing if nothing is wrong. */
export function faultSummary(found: Faults): Html | null {
  if (!hasFaults(found)) return null;
  return html`<section class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h2 id="problem">There is a problem</h2>
<ul>${Object.entries(found).map(([field, text]) => html`<li>${field === 'form' ? text : html`<a href="#${field}">${text}</a>`}</li>`)}</ul>
</section>`;
}

/** `Error: ` before the title, so that it is heard first. */
export function titleWith(found: Faults, title: string): string {
  return hasFaults(found) ? `Error: ${title}` : title;
}

export function nameField(value: string, found: Faults, options: { readonly hasFocus?: boolean } = {}): Html {
  const field = {
    name: 'name',
    label: 'Name',
    autocomplete: 'off',
    maxLength: MAX_NAME_LENGTH,
    isRequired: true,
  };
  return textField({ ...field, ...options, value, error: found.name });
}

/** undefined: it can be the name of a key or a saved search. `missing`: what is said where there is none. */
export function nameFault(name: string, missing: string): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return missing;
  if ([...trimmed].length > MAX_NAME_LENGTH) return `Name must be ${MAX_NAME_LENGTH} characters or fewer`;
  if (/\p{C}/u.test(trimmed)) return 'Name must contain visible characters only';
  return undefined;
}
