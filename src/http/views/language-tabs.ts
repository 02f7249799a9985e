// Programs in several languages, of which one is shown: the choice is a group of radio buttons that the style sheet
// reads, so it holds for the whole page without script, and with it for all pages.

import { COPIED_LANGUAGES, type CopiedLanguage } from './api-examples.ts';
import { type Html, html } from './html.ts';

/** As in ids and classes. */
function languageName(language: CopiedLanguage): string {
  return language.toLowerCase();
}

/** To be put once on a page with programs. */
export function languageChoice(): Html {
  return html`<fieldset class="languages" data-languages><legend>Language</legend>
${COPIED_LANGUAGES.map((language, at) => {
  const name = languageName(language);
  return html`<label><input type="radio" name="language" value="${name}" id="language-${name}"${at === 0 ? html` checked` : null}>${language}</label>`;
})}</fieldset>`;
}

/** The programs, by language, in the order of the choice. Where a language has none, it says which ones have. */
export function programs(title: string, byLanguage: ReadonlyMap<CopiedLanguage, string>): Html {
  const names = [...byLanguage.keys()].join(', ');
  return html`<div class="programs">
${COPIED_LANGUAGES.map((language) => {
  const code = byLanguage.get(language);
  return html`<div class="program ${languageName(language)}">${code === undefined ? html`<p class="hint">${title}: in ${names}.</p>` : codeBlock(`${title}, ${language}`, language, code)}</div>`;
})}</div>`;
}

/** Code below a bar with its name and a button to copy it; the button comes with the script. */
export function codeBlock(title: string, name: string, code: string): Html {
  return html`<div class="block"><p class="bar-of-code">${name}</p><button type="button" class="copy" hidden data-copy aria-label="Copy: ${title}">Copy</button><pre tabindex="0" aria-label="${title}"><code>${code}</code></pre></div>`;
}
