// Where a server listens: at a port, or at a unix socket.

import { chmodSync, lstatSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { type Config, isSocketPath } from '../../config.ts';
import { systemCode, UsageError } from '../../errors.ts';
import { addAcceptors, shared } from '../../http/connections.ts';
import type { Server } from '../../http/server.ts';
import { quoted } from '../../text/quoted.ts';

/** For the owner and the group of the file: the proxy's user joins the group, or the folder has its group. */
const SOCKET_MODE = 0o660;

/** Returns the address to open; of a socket `unix:` and its path. Throws a UsageError if it cannot be used. */
export async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  try {
    return isSocketPath(host) ? await listenAtSocket(server, host) : await listenAtPort(server, host, port);
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function listenAtPort(server: Server, host: string, port: number): Promise<string> {
  try {
    // The framework would open a second server for the other address of `localhost`, without our limits.
    const address = await server.listen(
      await shared({ host: host === 'localhost' ? '127.0.0.1' : host, port }),
    );
    await addAcceptors(server.server);
    return address;
  } catch (error) {
    throw explained(error, `${quoted(host)} port \`${port}\``, PORT_ERRORS);
  }
}

async function listenAtSocket(server: Server, path: string): Promise<string> {
  try {
    await clearWay(path);
    await server.listen({ path });
    chmodSync(path, SOCKET_MODE);
    return `unix:${path}`;
  } catch (error) {
    throw explained(error, `socket ${quoted(path)}`, SOCKET_ERRORS);
  }
}

/**
 * A server that was killed leaves its socket, which refuses every connection: it is deleted. Throws a UsageError
 * if another server listens there, or something else has this name.
 */
async function clearWay(path: string): Promise<void> {
  // The system would report a missing folder as one without rights.
  statSync(dirname(path));
  const found = at(path);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new UsageError(
      `cannot listen on socket ${quoted(path)}: expected none or a socket, found something else`,
    );
  }
  if ((await connected(path)) !== 'ECONNREFUSED') return;
  // Another server may have taken it over meanwhile; nothing can come between this look and the deletion.
  if (at(path)?.ino === found.ino) unlinkSync(path);
}

function at(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** The system's error code if the connection is refused; null: a server listens. */
function connected(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      // Ends gently, since the server may be writing.
      socket.resume().unref().end();
      resolve(null);
    });
    socket.once('error', (error) => resolve(systemCode(error)));
  });
}

type Explanations = Readonly<Record<string, string>>;

function explained(error: unknown, place: string, explanations: Explanations): unknown {
  const expected = explanations[systemCode(error) ?? ''];
  if (expected === undefined) return error;
  return new UsageError(`cannot listen on ${place}: ${expected}`, { cause: error });
}

const PORT_ERRORS: Explanations = {
  EADDRINUSE:
    'expected a free port, found it in use; stop the program that uses it, or choose another port with `--port`',
  EACCES:
    'expected a port that you have the right to use, found one that needs more rights; choose one above 1023',
  EADDRNOTAVAIL: 'expected an address of this machine, found another',
  ENOTFOUND: 'expected a known host name, found an unknown one',
};

const SOCKET_ERRORS: Explanations = {
  EADDRINUSE:
    'expected an address that is free, found a program that listens there; stop it, or choose another with `--host`',
  EACCES: 'expected a folder that you have the right to write, found another',
  EROFS: 'expected a folder that can be written, found one that is read-only',
  ENOENT: 'expected a folder that exists, found none',
  ENOTDIR: 'expected a folder, found a file',
};
