// The form beside an endpoint with which whoever is signed in asks it from the page.

import { runAddress } from '../addresses/docs.ts';
import { signInAddress } from '../addresses/pages.ts';
import { type ExampleValue, endpointExample } from './endpoint-examples.ts';
import { type Html, html } from './html.ts';
import { answerTypes, type Endpoint, type Parameter } from './openapi-document.ts';

/** Whether the page can show the answer: files are not for reading. */
export function isRunnable(endpoint: Endpoint): boolean {
  return endpoint.needsKey && answerTypes(endpoint).includes('application/json');
}

/** Without script the answer opens by itself; with it, it stands below the form. */
export function runForm(endpoint: Endpoint, isSignedIn: boolean): Html {
  const { path, page, title } = endpoint;
  if (!isSignedIn) {
    return html`<p class="hint run"><a href="${signInAddress(page)}">Sign in</a> to run this request here, without a key.</p>`;
  }
  const { values, parts } = endpointExample(endpoint);
  const given: readonly ExampleValue[] = [...Object.entries(parts), ...values];
  const { parameters = [] } = endpoint.operation;
  const asked = parameters.filter((parameter) => parameter.in !== 'header');
  const [first, further] = [asked.filter(isRequired), asked.filter((parameter) => !isRequired(parameter))];
  return html`<form class="run" method="get" action="${runAddress(path)}" data-run aria-label="Run: ${title}">
${first.map((parameter) => fields(parameter, given))}
${further.length === 0 ? null : html`<details><summary>${first.length === 0 ? 'Parameters' : 'More parameters'}</summary>${further.map((parameter) => fields(parameter, given))}</details>`}
<p class="run-row"><button class="button primary">Run it</button><span class="hint">Counts as a request of your account.</span></p>
</form>`;
}

function isRequired({ required = false }: Parameter): boolean {
  return required;
}

/** One field, or several where several values are given. */
function fields(parameter: Parameter, given: readonly ExampleValue[]): Html {
  const values = given.filter(([name]) => name === parameter.name).map(([, value]) => value);
  return html`${(values.length === 0 ? [''] : values).map((value, at) => field(parameter, value, at))}`;
}

function field({ name, schema = {}, required }: Parameter, value: string, at: number): Html {
  const id = `run-${name}${at === 0 ? '' : `-${at + 1}`}`;
  const label = html`<label for="${id}"><code>${name}</code>${at === 0 ? null : ` (${at + 1})`}</label>`;
  const choices = schema.enum?.filter((choice) => choice !== '');
  if (choices === undefined) {
    return html`<div class="run-field">${label}<input id="${id}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${required && name !== 'query' ? html` required` : null}></div>`;
  }
  return html`<div class="run-field">${label}<select id="${id}" name="${name}"><option value="">default</option>${choices.map((choice) => html`<option>${String(choice)}</option>`)}</select></div>`;
}
