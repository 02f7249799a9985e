// What a thread of the embedded engine does, of every role, in the thread that calls it.

import { ThreadState } from '../src/engines/embedded/index/view.ts';
import { AnsweringCalls } from '../src/engines/embedded/threads/answering-calls.ts';
import type { ThreadOptions } from '../src/engines/embedded/threads/thread.ts';
import { WritingCalls } from '../src/engines/embedded/writing/writer.ts';

export class WholeThread extends ThreadState {
  readonly answering: AnsweringCalls;
  readonly writing: WritingCalls;

  constructor(options: ThreadOptions) {
    super(options);
    this.answering = new AnsweringCalls(this, options);
    this.writing = new WritingCalls(this);
  }
}
