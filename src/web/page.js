// The page's script. It adds comfort only: everything works without it. Keys, completion, copying, tidy addresses,
// times in the reader's own zone, the language of examples, answers below their forms.

const box = document.querySelector('input#query');
const KEYS_OFF = 'colloquy-keys-off';
const LANGUAGE = 'colloquy-language';

/** One state has one address: default choices are left out of it. */
function tidyAddresses() {
  const defaults = { kind: 'posts', order_by: 'newest', limit: '25', under: '' };
  for (const form of document.querySelectorAll('form.search')) {
    form.addEventListener('formdata', ({ formData }) => {
      for (const [name, value] of Object.entries(defaults)) {
        if (formData.get(name) === value) formData.delete(name);
      }
    });
  }
}

/** For whoever chose so: times in the zone of the browser, with UTC as their titles. */
function tellLocalTimes() {
  if (document.documentElement.dataset.times !== 'local') return;
  // As in ISO 8601.
  const local = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' });
  for (const time of document.querySelectorAll('time[datetime*="T"]')) {
    time.title = `${time.textContent} UTC`;
    time.textContent = local.format(new Date(time.dateTime)).replace(' ', ', ');
  }
  const { timeZone } = local.resolvedOptions();
  for (const zone of document.querySelectorAll('[data-zone]')) zone.textContent = timeZone;
}

/** Says so if a search takes longer than a second. */
function sayStillSearching() {
  let timer;
  const begin = (place) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const words = make('p', 'Still searching…', { class: 'waiting', role: 'status' });
      place.after(words);
    }, 1000);
  };
  const form = document.querySelector('form.search');
  form?.addEventListener('submit', () => begin(form));
  addEventListener('pageshow', () => {
    clearTimeout(timer);
    for (const words of document.querySelectorAll('.waiting')) words.remove();
  });
}

function offerCopies() {
  for (const button of document.querySelectorAll('[data-copy]')) {
    const code = button.parentElement.querySelector('pre, input');
    if (code === null) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const label = button.textContent;
      button.textContent = (await copied(code)) ? 'Copied' : 'Press Ctrl-C';
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    });
  }
}

/** Without a clipboard (it needs TLS or localhost), selects the text instead. */
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.value ?? code.textContent);
    return true;
  } catch {
    if (code.select === undefined) getSelection().selectAllChildren(code);
    else code.select();
    return false;
  }
}

/** Lets people see a password while they type it. */
function offerToShowPasswords() {
  for (const input of document.querySelectorAll('input[type="password"]')) {
    const name = input.labels[0].textContent.toLowerCase();
    const button = make('button', 'Show', { type: 'button', class: 'button', 'aria-label': `Show ${name}` });
    const row = make('div', '', { class: 'entry' });
    input.replaceWith(row);
    row.append(input, button);
    const show = (isShown) => {
      input.type = isShown ? 'text' : 'password';
      button.textContent = isShown ? 'Hide' : 'Show';
      button.setAttribute('aria-label', `${button.textContent} ${name}`);
    };
    button.addEventListener('click', () => show(input.type === 'password'));
    // Otherwise the browser might offer to save it as ordinary text.
    input.form.addEventListener('submit', () => show(false));
  }
}

/** The language of examples holds on every page, until another is chosen. */
function rememberLanguage() {
  const chosen = remembered(LANGUAGE);
  for (const radio of document.querySelectorAll('[data-languages] input')) {
    radio.checked ||= radio.value === chosen;
    radio.addEventListener('change', () => remember(LANGUAGE, radio.value));
  }
  for (const panel of document.querySelectorAll('details[name="language"]')) {
    const name = panel.querySelector('summary').textContent.toLowerCase();
    panel.open ||= name === chosen;
    panel.addEventListener('toggle', () => {
      if (panel.open) remember(LANGUAGE, name);
    });
  }
}

/** Shows the answer of an endpoint below its form, instead of opening it. */
function offerRuns() {
  for (const form of document.querySelectorAll('form[data-run]')) {
    const bar = make('p', '', { class: 'bar-of-code', role: 'status' });
    const answer = make('pre', '', { tabindex: '0', 'aria-label': 'Answer of this run' });
    const block = make('div', '', { class: 'block' });
    block.append(bar, answer);
    // @NOTE a field named `after` hides the method of the form.
    const place = form.querySelector('button').parentElement;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      place.after(block);
      bar.textContent = 'Running…';
      answer.textContent = '';
      const given = [...new FormData(form)].filter(([, value]) => value !== '');
      try {
        const [words, text] = await run(`${form.getAttribute('action')}?${new URLSearchParams(given)}`);
        bar.textContent = words;
        answer.textContent = text;
      } catch {
        bar.textContent = 'The server could not be reached. Try again.';
      }
    });
  }
}

const SHOWN_CHARACTERS = 100_000;

/** What an endpoint answered: in a line, and as text that is laid out and not too long. */
async function run(address) {
  const start = performance.now();
  const response = await fetch(address);
  if (!new URL(response.url).pathname.startsWith('/api/')) location.assign(response.url);
  const text = await response.text();
  const took = Math.round(performance.now() - start);
  const laidOut = JSON.stringify(JSON.parse(text), null, 2);
  const cut = laidOut.length > SHOWN_CHARACTERS;
  return [
    `${response.status}, ${took} ms, ${text.length.toLocaleString('en-US')} characters${cut ? ', cut here' : ''}`,
    cut ? laidOut.slice(0, SHOWN_CHARACTERS) : laidOut,
  ];
}

/** The line above a chart says what is under the pointer, the finger or the focus; arrow keys walk on from there. */
function tellValues() {
  for (const line of document.querySelectorAll('.value')) {
    const chart = line.closest('figure, .times').querySelector('svg:has(title)');
    const places = [...(chart?.querySelectorAll(':has(> title)') ?? [])];
    if (places.length === 0) continue;
    const words = (place) => place.querySelector('title').textContent;
    let at = places.findIndex((place) => words(place) === line.textContent);
    const tell = (place) => {
      if (!places.includes(place)) return;
      places[at]?.classList.remove('told');
      at = places.indexOf(place);
      place.classList.add('told');
      line.textContent = words(place);
    };
    line.role = 'status';
    chart.removeAttribute('aria-hidden');
    chart.role = 'group';
    chart.ariaLabel = 'Chart: arrow keys read its values';
    chart.tabIndex = 0;
    for (const type of ['pointermove', 'pointerdown']) {
      chart.addEventListener(type, ({ target }) => tell(target.closest(':has(> title)')));
    }
    chart.addEventListener('focus', () => tell(places[at]));
    chart.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      tell(places[at + by]);
    });
  }
}

function listenForKeys() {
  const results = [...document.querySelectorAll('.results article')];
  for (const result of results) result.tabIndex = -1;
  const current = () => results.indexOf(document.activeElement?.closest('.results article'));
  const move = (by) => {
    let at = current();
    if (at === -1 || !isInView(results[at])) {
      // Where the reader is: at the first result that begins in the window or below it.
      at = results.findIndex((result) => result.getBoundingClientRect().top >= 0);
      if (at === -1) at = results.length;
      if (by > 0) at--;
    }
    const next = results[Math.min(results.length - 1, Math.max(0, at + by))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  const open = () => results[current()]?.querySelector('.title a, .links a')?.click();
  const follow = (selector) => () => document.querySelector(selector)?.click();
  const actions = {
    '/': () => {
      box?.focus();
      box?.select();
    },
    j: () => move(1),
    k: () => move(-1),
    o: open,
    n: follow('a[rel="next"]'),
    p: follow('a[rel="prev"], .moves:not(:has([rel="prev"])) a:not([rel])'),
    1: follow('.tabs li:first-child a'),
    2: follow('.tabs li:last-child a'),
    '?': showKeys,
  };
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (key === 'Escape' && target === box) {
      // Otherwise the search box would clear itself.
      event.preventDefault();
      box.blur();
    }
    if (isTyping(target) || document.querySelector('dialog[open]') !== null) return;
    if (key === 'Enter' && target.matches('.results article')) open();
    if (!(key in actions) || remembered(KEYS_OFF) === '1') return;
    event.preventDefault();
    actions[key]();
  });
  document.querySelector('[data-shortcuts]')?.addEventListener('click', (event) => {
    event.preventDefault();
    showKeys();
  });
}

function isInView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function isTyping(target) {
  return target.matches('input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable]');
}

const KEYS = [
  ['/', 'go to the search box'],
  ['j k', 'next or previous result'],
  ['Enter o', 'open the result'],
  ['n', 'next page'],
  ['p', 'previous page'],
  ['1 2', 'show posts or comments'],
  ['?', 'show this list'],
  ['Esc', 'leave the search box, or close this list'],
];

function showKeys() {
  const dialog = make('dialog', '', { 'aria-labelledby': 'keys-title' });
  dialog.append(make('h2', 'Keyboard', { id: 'keys-title' }));
  const list = make('dl', '', { class: 'keys' });
  for (const [keys, meaning] of KEYS) {
    const row = make('div');
    const term = make('dt');
    for (const key of keys.split(' ')) term.append(make('kbd', key), ' ');
    row.append(term, make('dd', meaning));
    list.append(row);
  }
  const form = make('form', '', { method: 'dialog' });
  const label = make('label');
  const off = make('input', '', { type: 'checkbox' });
  off.checked = remembered(KEYS_OFF) === '1';
  off.addEventListener('change', () => remember(KEYS_OFF, off.checked ? '1' : ''));
  label.append(off, ' Turn these keys off');
  form.append(label, make('button', 'Close', { class: 'button' }));
  dialog.append(list, form);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The browser stores nothing: the choice is for this page only.
  }
}

/** Completion of the item at the caret: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ (list, manual selection). */
class Completion {
  #input;
  #list = make('ul', '', { class: 'options', id: 'options', role: 'listbox', 'aria-label': 'Suggestions' });
  /** Index of the highlighted option; -1: none. */
  #active = -1;
  #timer = 0;
  #asked = new AbortController();

  constructor(input) {
    this.#input = input;
    this.#list.hidden = true;
    input.after(this.#list);
    const state = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': 'options' };
    for (const [name, value] of Object.entries(state)) input.setAttribute(name, value);
    this.#close();
    input.addEventListener('input', () => this.#refresh());
    input.addEventListener('blur', () => this.#close());
    input.addEventListener('keydown', (event) => {
      if (event.isComposing || !this.#handle(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Whether the key was for the list. */
  #handle(key) {
    const isHidden = this.#list.hidden;
    if (key === 'ArrowDown' && isHidden) this.#refresh();
    else if (isHidden) return false;
    else if (key === 'ArrowDown') this.#mark(this.#active + 1);
    else if (key === 'ArrowUp') this.#mark(Math.max(this.#active, 0) - 1);
    else if (key === 'Enter' && this.#active !== -1) {
      this.#take(this.#list.children[this.#active].firstChild.textContent);
    } else if (key === 'Escape') this.#close();
    else return false;
    return true;
  }

  #refresh() {
    this.#close();
    const { item } = itemAt(this.#input);
    this.#show(syntaxOptions(item));
    if (!/^(?:-?(?:\/?r\/|site:)|after:|before:)/i.test(item)) return;
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    this.#timer = setTimeout(async () => {
      const found = await suggestions(item, signal);
      if (!signal.aborted && found.length > 0) this.#show(found);
    }, 120);
  }

  #show(options) {
    this.#list.replaceChildren(...options.map(([text, hint], at) => this.#option(text, hint, at)));
    this.#list.hidden = options.length === 0;
    this.#unmark();
  }

  #option(text, hint, at) {
    const option = make('li', '', { role: 'option', id: `option-${at}`, 'aria-selected': 'false' });
    option.append(make('b', text), make('span', hint));
    option.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      this.#take(text);
    });
    return option;
  }

  #close() {
    clearTimeout(this.#timer);
    this.#asked.abort();
    this.#list.hidden = true;
    this.#unmark();
  }

  #unmark() {
    this.#active = -1;
    this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
    this.#input.removeAttribute('aria-activedescendant');
  }

  /** Wraps around at both ends. */
  #mark(at) {
    const { children } = this.#list;
    children[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = (at + children.length) % children.length;
    children[this.#active].setAttribute('aria-selected', 'true');
    this.#input.setAttribute('aria-activedescendant', `option-${this.#active}`);
  }

  /** Replaces the item by the text; goes on completing if the text is only a beginning. */
  #take(text) {
    const { start, end } = itemAt(this.#input);
    const isBegun = /[:/-]$/.test(text);
    this.#input.setRangeText(isBegun ? text : `${text} `, start, end, 'end');
    this.#close();
    if (isBegun) this.#refresh();
  }
}

/** The item at the caret, and its place. */
function itemAt(input) {
  const { value, selectionStart: caret } = input;
  const start = caret - /[^\s,]*$/.exec(value.slice(0, caret))[0].length;
  const end = caret + /^[^\s,]*/.exec(value.slice(caret))[0].length;
  return { item: value.slice(start, caret), start, end };
}

const OPERATORS = [
  ['/r/', 'in a community'],
  ['site:', 'links to a domain'],
  ['score:', 'at least this score'],
  ['after:', 'from a day on'],
  ['before:', 'before a day'],
  ['post:', 'a post and its comments'],
  ['id:', 'one record'],
];

function syntaxOptions(item) {
  const minus = item.startsWith('-') ? '-' : '';
  const bare = item.slice(minus.length).toLowerCase();
  if (bare.startsWith('score:')) {
    return starting(
      ['10', '100', '1000'].map((score) => [`score:${score}`, `at least ${score}`]),
      item,
    );
  }
  const operators = minus === '' ? OPERATORS : OPERATORS.filter(([name]) => !/score|after|before/.test(name));
  return starting(
    operators.map(([name, hint]) => [minus + name, minus === '' ? hint : `not ${hint}`]),
    item,
  );
}

function starting(options, item) {
  const beginning = item.toLowerCase();
  return options.filter(([text]) => text.startsWith(beginning) && text !== beginning);
}

/** Empty if the server does not answer: completion is no reason for an error. */
async function suggestions(item, signal) {
  try {
    const response = await fetch(`/suggest?item=${encodeURIComponent(item)}`, { signal });
    if (!response.ok) return [];
    return (await response.json()).map(({ text, hint }) => [text, hint]);
  } catch {
    return [];
  }
}

/** Dragging over bars of the timeline goes to the dates between the first and the last; a click is the bar's own. */
function offerDragging() {
  const plot = document.querySelector('.times .timeline');
  if (plot === null) return;
  const bars = [...plot.querySelectorAll('a')];
  let began = null;
  let chosen = [];
  const barsUpTo = (x) => {
    const [left, right] = [Math.min(began, x), Math.max(began, x)];
    return bars.filter((bar) => {
      const box = bar.getBoundingClientRect();
      return box.right > left && box.left < right;
    });
  };
  const mark = (found) => {
    chosen = found;
    for (const bar of bars) bar.classList.toggle('chosen', found.includes(bar));
  };
  plot.addEventListener('dragstart', (event) => event.preventDefault());
  plot.addEventListener('pointerdown', ({ button, clientX, pointerType }) => {
    // A finger scrolls the page.
    if (button === 0 && pointerType !== 'touch') began = clientX;
  });
  addEventListener('pointermove', ({ clientX }) => {
    if (began !== null) mark(Math.abs(clientX - began) < 5 ? [] : barsUpTo(clientX));
  });
  addEventListener('pointerup', () => {
    began = null;
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (first === undefined || first === last) mark([]);
    else location.href = rangeAddress(first.getAttribute('href'), last.getAttribute('href'));
  });
  plot.addEventListener('click', (event) => {
    if (chosen.length > 1) event.preventDefault();
  });
  addEventListener('pageshow', () => mark([]));
}

/** The address of the first bar, up to where the last one ends. */
function rangeAddress(first, last) {
  // Dates stand behind everything else that the query contains.
  const end = /before%3A[^+&]+(?=&|$)/;
  return first.replace(end, end.exec(last)[0]);
}

function make(name, text = '', attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

tidyAddresses();
tellLocalTimes();
sayStillSearching();
offerCopies();
offerToShowPasswords();
rememberLanguage();
offerRuns();
tellValues();
listenForKeys();
offerDragging();
if (box !== null) new Completion(box);
