// The response of an export: to an API key, or to the page of a signed-in user. Contract 9.1.

import { ServiceError } from '../../errors.ts';
import {
  ARRIVAL_HEADER,
  arrivalHeader,
  CUT_CELLS_HEADER,
  droppedHeader,
} from '../../http/answers/problems.ts';
import { describedFigures, type FamilySource } from '../../metrics/families.ts';
import {
  type Archive,
  type AskedBytes,
  ofArchive,
  type StreamedAnswer,
  type StreamedBody,
} from '../../operation/operation.ts';
import { type ExportPlan, type ExportSources, exportsOf, type OpenExport, tagOf } from './export-service.ts';
import { type Format, schemaAddress } from './parameters.ts';

export const HEAD_HEADERS = {
  'Colloquy-Total-Count': 'How many records will come, exactly, where no removal takes one away meanwhile.',
  'Colloquy-Matches': 'How many records match, whatever `after` and `limit`.',
  'Colloquy-Index':
    'What all of it comes from: `fingerprint="<16 hex digits>", records=<n>` of the records of this kind; equal ' +
    'fingerprints mean equal records.',
  ...ARRIVAL_HEADER,
  ETag: 'Identifies the bytes. Absent with fields that can change while the fingerprint stays the same, and with `since`.',
  'Content-Disposition': 'A name for the file.',
  Link: '`<address>; rel="describedby"`: the schema of the table.',
  'Colloquy-Dropped': 'As with a search.',
} as const;

export const TRAILERS = {
  'Colloquy-Count': 'how many records have come',
  'Colloquy-Withheld': 'how many were withheld, because a removal took them away meanwhile',
  'Repr-Digest': '`sha-256=:…:`, the digest of all bytes in base64 (RFC 9530)',
  ...CUT_CELLS_HEADER,
} as const;

type TrailerName = keyof typeof TRAILERS;

const NAMES = Object.keys(TRAILERS) as TrailerName[];

export function trailerNames(format: Format): readonly TrailerName[] {
  return format === 'csv-excel' ? NAMES : NAMES.filter((name) => name !== 'Colloquy-Cut-Cells');
}

export function exportAnswer(
  archive: Archive,
  plan: ExportPlan,
  { caller, ownAddress, signal, enter }: AskedBytes,
): StreamedAnswer {
  const exports = exportsOf(archive);
  const headers = (run: OpenExport) =>
    headersOf(plan, exports.fileName(plan, Date.now() / 1000), run, ownAddress);
  return {
    etag: async () => etagOf(plan, await exports.sources(plan)),
    async head() {
      // It counts in a thread too: it takes no place, but waits for its turn.
      using _ = await enter('head of an export');
      await using run = await exports.open(plan, signal);
      return headers(run);
    },
    async open() {
      await using opened = new AsyncDisposableStack();
      opened.use(placesOf(archive).take(caller));
      const run = opened.use(await exports.open(plan, signal));
      return bodyOf(run, headers(run), plan.wish.format, opened.move());
    },
  };
}

function headersOf(
  plan: ExportPlan,
  fileName: string,
  { head, index, sources }: OpenExport,
  ownAddress: string,
): Readonly<Record<string, string>> {
  const { wish, dropped, mediaType } = plan;
  const told = droppedHeader(dropped);
  const etag = etagOf(plan, sources);
  const schema = schemaAddress(wish.kind, wish.format, wish.fields);
  const own: Partial<Record<keyof typeof HEAD_HEADERS, string>> = {
    'Colloquy-Total-Count': String(head.total),
    'Colloquy-Matches': String(head.matches),
    'Colloquy-Index': `fingerprint="${index.fingerprint}", records=${index.records}`,
    ...arrivalHeader(head.arrival),
    ...(etag === null ? {} : { ETag: etag }),
    'Content-Disposition': `attachment; filename="${fileName}"`,
    Link: `<${ownAddress}${schema}>; rel="describedby"`,
    ...(told === null ? {} : { 'Colloquy-Dropped': told }),
  };
  return { ...own, 'Content-Type': mediaType };
}

/** Strong; null: no ETag. */
function etagOf(plan: ExportPlan, sources: ExportSources | null): string | null {
  return sources === null ? null : `"${tagOf(plan, sources)}"`;
}

function bodyOf(
  run: OpenExport,
  headers: Readonly<Record<string, string>>,
  format: Format,
  owned: AsyncDisposableStack,
): StreamedBody {
  let trailers: Partial<Record<keyof typeof TRAILERS, string>> | null = null;
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const { bytes, records, withheld, report } of run.blocks) {
      if (report !== undefined) {
        trailers = {
          'Colloquy-Count': String(records),
          'Colloquy-Withheld': String(withheld),
          'Repr-Digest': `sha-256=:${Buffer.from(report.sha256, 'hex').toString('base64')}:`,
          ...(format === 'csv-excel' ? { 'Colloquy-Cut-Cells': String(report.cutCells) } : {}),
        };
      }
      yield bytes;
    }
  }
  return {
    headers,
    trailerNames: trailerNames(format),
    pieces: pieces(),
    trailers() {
      if (trailers === null) throw new Error('expected a report with the last block, found none');
      return trailers;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Exports that a server runs at once for all callers, each in its own thread. */
export const EXPORTS_AT_ONCE = 4;
/** Exports that an account may run at once, by all its keys and pages. */
export const MAX_EXPORTS_OF_ACCOUNT = 2;
/** Seconds, for `Retry-After`: how long the others take is unknown. */
const RETRY_AFTER = 30;

/** Limits exports that run at once, in all and by account: each has a thread, and holds a view of the index. */
class ExportPlaces {
  #refused = 0;
  /** Accounts without an export are absent. */
  readonly #taken = new Map<string, number>();

  /** Takes a place until disposed, once or more often. Throws `too_many_exports`. */
  take(caller: string): Disposable {
    const own = this.#taken.get(caller) ?? 0;
    if (own >= MAX_EXPORTS_OF_ACCOUNT) throw this.#tooMany(`${MAX_EXPORTS_OF_ACCOUNT} exports of an account`);
    if (this.#all() >= EXPORTS_AT_ONCE) throw this.#tooMany(`${EXPORTS_AT_ONCE} exports`);
    this.#taken.set(caller, own + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(caller);
        isTaken = false;
      },
    };
  }

  figures() {
    return { underWay: this.#all(), atOnce: EXPORTS_AT_ONCE, refused: this.#refused };
  }

  #all(): number {
    return this.#taken.values().reduce((sum, taken) => sum + taken, 0);
  }

  #tooMany(limit: string): ServiceError {
    this.#refused++;
    const message = `expected at most ${limit} at once, found one more; try again when one has ended`;
    return new ServiceError('too_many_exports', message, { retryAfter: RETRY_AFTER });
  }

  #giveBack(caller: string): void {
    const left = (this.#taken.get(caller) ?? 0) - 1;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
  }
}

const placesOf = ofArchive(() => new ExportPlaces());

export function figuresOf(archive: Archive): FamilySource {
  return describedFigures(
    {
      underWay: {
        ...{ name: 'colloquy_exports_under_way', type: 'gauge' },
        help: 'Exports in progress.',
      },
      atOnce: { name: 'colloquy_exports_at_once', type: 'gauge', help: 'Most exports at once.' },
      refused: {
        ...{ name: 'colloquy_exports_refused_total', type: 'counter' },
        help: 'Exports refused because too many were in progress.',
      },
    },
    () => placesOf(archive).figures(),
  );
}
