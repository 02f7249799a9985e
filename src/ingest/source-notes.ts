// The facts that an import records about a source, beside its counts: format, kind, first and last time.

import type { PublishedFile, SourceFacts, SourceKind } from '../model/coverage.ts';
import type { Container } from './containers/unpack.ts';
import type { PackedResult, TimeSpan } from './work.ts';

const FORMAT_NAMES = { lines: 'ndjson', values: 'json', csv: 'csv' };
const ENDINGS = { zstd: '.zst', gzip: '.gz', bzip2: '.bz2', xz: '.xz', zip: '.zip', plain: '' };

/** Collects the facts while the source is read. */
export class SourceNotes {
  #format: string | null = null;
  #span: TimeSpan | null = null;
  #hasPosts = false;
  #hasComments = false;
  #hasCommunities = false;

  /** `containers`: the outermost first. */
  begin(format: keyof typeof FORMAT_NAMES, containers: readonly Container[]): void {
    const endings = containers.map((container) => ENDINGS[container]).toReversed();
    this.#format = FORMAT_NAMES[format] + endings.join('');
  }

  add({ posts, comments, communities, span }: PackedResult): void {
    this.#hasPosts ||= posts.count > 0;
    this.#hasComments ||= comments.count > 0;
    this.#hasCommunities ||= communities.length > 0;
    if (span === null) return;
    const { first, last } = this.#span ?? span;
    this.#span = { first: Math.min(first, span.first), last: Math.max(last, span.last) };
  }

  facts(name: string, published: PublishedFile | null): SourceFacts {
    const { sha256 = null, bytes = null } = published ?? {};
    const { first = null, last = null } = this.#span ?? {};
    return { name, sha256, bytes, format: this.#format, kind: this.#kind(), first, last };
  }

  #kind(): SourceKind | null {
    if (this.#hasPosts && this.#hasComments) return 'both';
    if (this.#hasPosts) return 'posts';
    if (this.#hasComments) return 'comments';
    return this.#hasCommunities ? 'communities' : null;
  }
}
