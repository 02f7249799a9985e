// The same for SQLite: what is executed as a statement of its own (BEGIN, COMMIT, PRAGMA) is told of before and after.
// What SQLite itself does with its files cannot be seen from here.

import { DatabaseSync } from 'node:sqlite';

export interface CommitWatcher {
  before?(sql: string, file: string): void;
  after?(sql: string, file: string): void;
}

/** Until the end of the scope, in this thread. */
export function watchCommits(watcher: CommitWatcher): Disposable {
  const prototype = DatabaseSync.prototype;
  const original = prototype.exec;
  prototype.exec = function exec(this: DatabaseSync, sql: string): void {
    const file = this.location() ?? '';
    watcher.before?.(sql, file);
    original.call(this, sql);
    watcher.after?.(sql, file);
  };
  return {
    [Symbol.dispose]() {
      prototype.exec = original;
    },
  };
}
