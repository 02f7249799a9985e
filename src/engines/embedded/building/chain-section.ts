// The section of chains (format/chains.ts) of a segment while it is built: kept in memory, some 15 bytes a
// record, because it comes behind sections that are written later.

import { ByteWriter } from '../../../packing/bytes.ts';
import { CHAINS, ChainWriter } from '../format/chains.ts';
import type { SegmentWriter } from '../format/segment-writer.ts';
import { ChainBuilder } from './chain-builder.ts';
import type { TokenScanner } from './token-scanner.ts';

export class ChainSection {
  readonly #builder = new ChainBuilder();
  readonly #bytes = new ByteWriter(1 << 16);
  readonly #writer = new ChainWriter((bytes) => this.#bytes.raw(bytes));

  /** Adds the first `length` tokens that the scanner found in a text of the current doc. */
  addText(scanner: TokenScanner, length: number): void {
    this.#builder.addText(scanner, length);
  }

  endDoc(): void {
    this.#builder.endDoc();
    const { bytes, length } = this.#builder.bytes;
    this.#writer.add(bytes, 0, length);
  }

  /** Call it once, behind the last doc. */
  write(out: SegmentWriter): void {
    this.#writer.finish();
    out.section(CHAINS, this.#bytes.written());
  }
}
