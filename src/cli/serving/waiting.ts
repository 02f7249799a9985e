// A server whose engine is out of reach when it starts: it listens, refuses what it is asked, and says when it is
// ready. Tells whoever started the server how far it is: systemd, for a unit with `Type=notify` and `NotifyAccess=all`.
// Node opens no datagram sockets in the file system, so systemd's own program sends the message.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { App } from '../../app.ts';
import { hasNotifySocket } from '../../config.ts';
import { log } from '../../log.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';

const LOOK_EVERY_MS = 1_000;

/** Why nothing can be answered yet; null: it can. Throws where the index is in the folder, and cannot be read. */
export async function whyNotReady({
  search,
  isElsewhere,
}: Pick<App, 'search' | 'isElsewhere'>): Promise<string | null> {
  try {
    await search.readiness();
    return null;
  } catch (error) {
    if (isElsewhere && error instanceof EngineUnavailable) return error.message;
    throw error;
  }
}

/** Looks once a second, and calls `tell` when the engine answers. Disposing ends it. */
export function tellOnceReady(search: App['search'], tell: () => void): AsyncDisposable {
  const looking = repeated(LOOK_EVERY_MS, async () => {
    // The engine logs the reason once.
    const isReady = await search.readiness().then(
      () => true,
      () => false,
    );
    if (!isReady) return;
    clearInterval(looking.timer);
    tell();
  });
  return looking;
}

/** Never begins `work` while it is under way. Disposing waits for it. */
function repeated(everyMs: number, work: () => Promise<void>) {
  let underWay: Promise<void> | null = null;
  const begin = () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
  };
  const timer = setInterval(begin, everyMs);
  return {
    begin,
    timer,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await underWay;
    },
  };
}

const PROGRAM = 'systemd-notify';
/** It waits until the message has been read. */
const TIMEOUT_MS = 5000;

/** Resolves when the supervisor has been told, or cannot be; at once without one. Never rejects. */
export async function tellSupervisor(state: 'READY=1' | 'STOPPING=1', status: string): Promise<void> {
  if (!hasNotifySocket()) return;
  try {
    await promisify(execFile)(PROGRAM, [state, `STATUS=${status}`], { timeout: TIMEOUT_MS });
  } catch (error) {
    log.warn({ err: error, state }, `${PROGRAM} could not tell the service manager`);
  }
}

const WORK_EVERY_MS = 300_000;

/**
 * `what` names the work, for the log. Works at once and then every five minutes, never twice at a time. Disposing waits
 * for the work under way.
 */
export function startUpkeep(what: string, work: () => Promise<void>): AsyncDisposable {
  // Failed work is tried again next time; the server goes on answering.
  const upkeep = repeated(WORK_EVERY_MS, () =>
    work().catch((error: unknown) => log.error({ err: error }, `${what} failed`)),
  );
  upkeep.begin();
  upkeep.timer.unref();
  return upkeep;
}
