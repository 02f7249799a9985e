// Tells whoever started the server how far it is: systemd, for a unit with `Type=notify` and `NotifyAccess=all`. Node
// opens no datagram sockets in the file system, so systemd's own program sends the message.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasNotifySocket } from '../config.ts';
import { log } from '../log.ts';

const PROGRAM = 'systemd-notify';
/** It waits until the message was read. */
const TIMEOUT_MS = 5000;

/** Resolves when it has been told, or cannot be; at once where nobody waits for it. Never rejects. */
export async function tellSupervisor(state: 'READY=1' | 'STOPPING=1', status: string): Promise<void> {
  if (!hasNotifySocket()) return;
  try {
    await promisify(execFile)(PROGRAM, [state, `STATUS=${status}`], { timeout: TIMEOUT_MS });
  } catch (error) {
    log.warn({ err: error, state }, `${PROGRAM} could not tell the service manager`);
  }
}
