// The inside of a worker thread of the engine: takes calls, one after the other, and posts what comes of them.

import { type MessagePort, parentPort, type Transferable } from 'node:worker_threads';
import type { Call, Reply } from '../../threads/worker-calls.ts';
import type { ViewData } from '../index/view.ts';
import { packError } from './thread-errors.ts';
import type { ThreadState } from './thread-state.ts';

/** What goes to a worker. */
export type Message =
  | { readonly kind: 'view'; readonly view: ViewData }
  | Call<string>
  | { readonly kind: 'peer'; readonly number: number; readonly port: MessagePort }
  | { readonly kind: 'close' };

/** What the thread does, by its role. */
interface Role {
  /** Carries a call out. What is sent of its result, and what of that goes with the message instead of being copied. */
  call(method: string, values: readonly unknown[]): [sent: unknown, handedOver: Transferable[]];
  /** Another reader. */
  meet?(number: number, port: MessagePort): void;
  close?(): void;
}

/** To be called once, by what a worker runs. */
export function takeCalls(state: ThreadState, role: Role): void {
  const port = parentPort!;
  const answer = ({ id, method, values }: Call<string>): [Reply, Transferable[]] => {
    try {
      const [value, handedOver] = role.call(method, values);
      return [{ id, value }, handedOver];
    } catch (error) {
      return [{ id, error: packError(error) }, []];
    }
  };
  port.on('message', (message: Message) => {
    if (message.kind === 'view') state.show(message.view);
    else if (message.kind === 'peer') role.meet?.(message.number, message.port);
    else if (message.kind === 'call') port.postMessage(...answer(message));
    else {
      role.close?.();
      state.close();
      port.close();
    }
  });
  port.postMessage({ started: true } satisfies Reply);
}

/** Calls a method by its name. */
export function run(calls: object, method: string, values: readonly unknown[]): unknown {
  const found = (calls as Readonly<Record<string, (...values: readonly unknown[]) => unknown>>)[method]!;
  return found.apply(calls, values as unknown[]);
}
