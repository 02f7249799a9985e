// Two readers in Chromium: one who has a keyboard alone, and one who knows the accessibility tree alone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { open } from '../../page/browser.ts';
import type { Reader } from './reader.ts';

/** So many times is Tab pressed for one element. */
const MAX_TABS = 400;

type Act = 'link' | 'button' | 'field' | 'fold';

async function openPage(browser: Browser, address: string, cookie: string): Promise<Page> {
  const { page } = await open(browser, { acceptDownloads: true });
  const cookies = cookie.split('; ').map((pair) => {
    const [name, value] = pair.split(/=(.*)/s);
    return { name: name!, value: value!, url: address };
  });
  await page.context().addCookies(cookies);
  return page;
}

/** What both do alike; `act` finds an element in its own way, acts on it, and gives how many steps that took. */
function readerOf(
  page: Page,
  base: string,
  act: (what: Act, name: RegExp, text?: string) => Promise<number>,
): Reader {
  let steps = 0;
  const lead = async (what: Act, name: RegExp) => {
    // A skip link leads to a part of the same page.
    const left = page.waitForEvent('framenavigated', (frame) => !frame.url().includes('#'));
    steps += await act(what, name);
    await left;
    await page.waitForLoadState();
  };
  const unfold = async (fold: RegExp | undefined) => {
    if (fold !== undefined) steps += await act('fold', fold);
  };
  return {
    get steps() {
      return steps;
    },
    async visit(path) {
      await page.goto(base + path);
      steps = 0;
    },
    follow: (name) => lead('link', name),
    async fill(label, text) {
      steps += await act('field', label, text);
    },
    async press(name, fold) {
      await unfold(fold);
      await lead('button', name);
    },
    async download(name, fold) {
      await unfold(fold);
      const begun = page.waitForEvent('download');
      steps += await act('button', name);
      return readFileSync(await (await begun).path(), 'utf8');
    },
    address() {
      const { pathname, search } = new URL(page.url());
      return pathname + search;
    },
    markup: () => page.content(),
    [Symbol.asyncDispose]: () => page.context().close(),
  };
}

/** Parts of a page of results that lead on to these: the reader skips to them. */
const BEHIND: readonly (readonly [name: RegExp, part: string])[] = [
  [/Last year/, 'timeline'],
  [/Download/, 'download'],
  [/Dark/, 'breakdowns'],
];

/**
 * Presses `j` for what belongs to a result, or takes a skip link, then Tab up to the element, then Enter; types into
 * fields.
 */
export async function openKeyboardReader(browser: Browser, base: string, cookie: string): Promise<Reader> {
  const page = await openPage(browser, base, cookie);
  return readerOf(page, base, async (what, name, text) => {
    let pressed = 0;
    const press = async (key: string) => {
      await page.keyboard.press(key);
      pressed++;
    };
    if (what === 'link' && /Only|Not|Read|Thread/.test(name.source)) await press('j');
    const skip = BEHIND.find(([found]) => found.test(name.source))?.[1];
    if (skip !== undefined && (await isAtTop(page))) {
      while (!(await isFocused(page, 'link', new RegExp(`^Skip to ${skip}$`)))) await press('Tab');
      await press('Enter');
    }
    for (let tabs = 0; !(await isFocused(page, what, name)); tabs++) {
      assert.ok(tabs < MAX_TABS, `no ${what} ${name} within ${MAX_TABS} tabs`);
      await press('Tab');
    }
    if (text === undefined) await press('Enter');
    else {
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
      pressed++;
    }
    return pressed;
  });
}

const ROLES: Readonly<Record<Act, readonly string[]>> = {
  link: ['link'],
  button: ['button'],
  field: ['textbox', 'searchbox', 'combobox'],
  fold: ['DisclosureTriangle'],
};

/** Whether nothing has the focus yet. */
async function isAtTop(page: Page): Promise<boolean> {
  return await page.evaluate('document.activeElement === document.body');
}

/** What has the focus, as its words are read. */
async function isFocused(page: Page, what: Act, name: RegExp): Promise<boolean> {
  const focused: { element: string; words: string } = await page.evaluate(`{
    const { activeElement: e } = document;
    const words = (e.labels?.[0] ?? e).textContent;
    ({ element: e.localName, words: words.replace(/\\s+/g, ' ').trim() });
  }`);
  const elements = { link: 'a', button: 'button', field: 'input', fold: 'summary' };
  return focused.element === elements[what] && name.test(focused.words);
}

interface TreeNode {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly backendDOMNodeId?: number;
}

/** Finds an element by role and name in the tree that Chromium gives to assistive technology, and acts on it. */
export async function openTreeReader(browser: Browser, base: string, cookie: string): Promise<Reader> {
  const page = await openPage(browser, base, cookie);
  const session: CDPSession = await page.context().newCDPSession(page);
  return readerOf(page, base, async (what, name, text) => {
    const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: TreeNode[] };
    const found = nodes.find(
      (node) => ROLES[what].includes(node.role?.value ?? '') && name.test(node.name?.value.trim() ?? ''),
    );
    assert.ok(found?.backendDOMNodeId !== undefined, `no ${what} ${name} in the accessibility tree`);
    const backendNodeId = found.backendDOMNodeId;
    if (text !== undefined) {
      await session.send('DOM.focus', { backendNodeId });
      await page.keyboard.press('ControlOrMeta+a');
      await session.send('Input.insertText', { text });
      return 1;
    }
    const { object } = await session.send('DOM.resolveNode', { backendNodeId });
    await session.send('Runtime.callFunctionOn', {
      objectId: object.objectId!,
      functionDeclaration: 'function () { this.click(); }',
    });
    return 1;
  });
}
