// What the tests of a suite share.

import { after } from 'node:test';

/**
 * It is disposed of behind the tests of this suite, or of this file. In a `describe` that is async, await nothing that
 * was made elsewhere (`colloquy` of one-process.ts): node:test would lose the suite there.
 */
export function ofTests<T extends Disposable | AsyncDisposable>(opened: T): T {
  after(() => (Symbol.asyncDispose in opened ? opened[Symbol.asyncDispose]() : opened[Symbol.dispose]()));
  return opened;
}

/** Settings of this process, and of those that it starts, until the tests of this suite, or of this file, are over. */
export function settingsOfTests(settings: Readonly<Record<string, string>>): void {
  Object.assign(process.env, settings);
  after(() => {
    for (const name of Object.keys(settings)) delete process.env[name];
  });
}
