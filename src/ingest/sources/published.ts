// The checksum of a file as it was published, which others can compare with theirs: made of the bytes as they are read,
// so that no file is read twice for it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { storageError } from '../../errors.ts';
import type { PublishedFile } from '../../model/import-log.ts';

const READ_CHUNK = 1024 * 1024;

export class FileDigest {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The next bytes of the file, from its beginning on. */
  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** To be called once. Reads what was not added: a container may end before its file. null: it was stopped. */
  async finish(isStopped: () => boolean): Promise<PublishedFile | null> {
    try {
      for await (const chunk of createReadStream(this.#path, {
        start: this.#bytes,
        highWaterMark: READ_CHUNK,
      })) {
        if (isStopped()) return null;
        this.add(chunk as Buffer);
      }
    } catch (error) {
      throw storageError(error, this.#path);
    }
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes };
  }
}

/** Of an archive, whose entries are read from anywhere in it: made once for all of them. */
export class ArchiveDigest {
  readonly #path: string;
  #made: PublishedFile | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** null: it was stopped. */
  async finish(isStopped: () => boolean): Promise<PublishedFile | null> {
    this.#made ??= await new FileDigest(this.#path).finish(isStopped);
    return this.#made;
  }
}
