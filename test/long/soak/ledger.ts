// What the index must hold: for each question that is asked again and again, how many matches it may have, by the
// operations that are done and under way.

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

interface Entry extends Bounds {
  /** The moment from which it holds. */
  readonly from: number;
}

export class Ledger {
  readonly #entries = new Map<string, Entry[]>();
  #moment = 0;

  /** From now on; where `most` is another number, an operation is under way. */
  set(question: string, least: number, most = least): void {
    const entries = this.#entries.get(question) ?? [];
    entries.push({ least, most, from: ++this.#moment });
    this.#entries.set(question, entries);
  }

  forget(question: string): void {
    this.#entries.delete(question);
  }

  /** To be remembered when a question is sent. */
  moment(): number {
    return this.#moment;
  }

  /** What an answer may say that was asked for at `since` and has come now. null: the question is not known. */
  allowed(question: string, since: number): Bounds | null {
    const held = this.#heldSince(question, since);
    if (held.length === 0) return null;
    return {
      least: Math.min(...held.map(({ least }) => least)),
      most: Math.max(...held.map(({ most }) => most)),
    };
  }

  /** Whether nothing was under way that concerns the question since then. */
  isSteady(question: string, since: number): boolean {
    const held = this.#heldSince(question, since);
    return held.length === 1 && held[0]!.least === held[0]!.most;
  }

  /** Those that are known now, and steady. */
  steadyQuestions(): string[] {
    return [...this.#entries.keys()].filter((question) => this.isSteady(question, this.#moment));
  }

  #heldSince(question: string, since: number): readonly Entry[] {
    const entries = this.#entries.get(question) ?? [];
    const last = entries.findLastIndex(({ from }) => from <= since);
    return entries.slice(Math.max(0, last));
  }
}
