// One export from the request to its bytes: interpret → cursor → shaper → engine; and its ETag, which is the same if
// the same request gives the same bytes. Contract 9.1, 9.8.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, CatalogueFile } from '../../catalogue/catalogue.ts';
import type { Config } from '../../config.ts';
import { parameterFault } from '../../errors.ts';
import type { Sample } from '../../model/analyses.ts';
import type { SearchEngine } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportRequest, ExportRun, ShaperModule } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Order } from '../../model/pages.ts';
import { queryOfNames } from '../../model/query.ts';
import type { Kind, RecordName } from '../../model/record.ts';
import { NAMED_AT_ONCE } from '../../model/removals.ts';
import type { ParameterValues } from '../../operation/parameters.ts';
import { readCursor, readUnder, sinceOf, tellingLimits } from '../../search/asking.ts';
import { type Dropped, interpretWithoutWindow } from '../../search/language/interpret.ts';
import { DEFAULT_FIELDS, needsArrived, readFields } from '../../search/presenter.ts';
import {
  BYTES_VERSION,
  type Compression,
  checkRecords,
  compressionsOf,
  type ExportTable,
  type Format,
  mediaTypeOf,
} from './parameters.ts';

export interface ExportWish {
  readonly kind: Kind;
  /** Empty: every record. A `before:` needs an `after:`. */
  readonly query: string;
  /** For comments only: a query that their post matches; null: any post. */
  readonly under: string | null;
  readonly since?: number;
  readonly order: Order;
  readonly sample?: Sample;
  /** Given instead of a query, which is then empty: these records, each named once; absent: the query decides. */
  readonly names?: readonly RecordName[];
  /** A cursor of this order; null: from the first match. */
  readonly after: string | null;
  readonly limit: number | null;
  /** Names of fields; null: those of the interface. */
  readonly fields: string | null;
  readonly format: Format;
  readonly compress: Compression;
}

export interface ExportPlan {
  readonly wish: ExportWish;
  readonly request: Omit<ExportRequest, 'shaper'>;
  readonly query: string;
  /** In canonical form; null: any post. */
  readonly under: string | null;
  readonly fields: readonly string[] | null;
  /** Parts of the query, then of `under`, that are not searched for. */
  readonly dropped: readonly Dropped[];
  readonly mediaType: string;
}

export function wishOf(kind: Kind, values: ParameterValues<ExportTable>): ExportWish {
  const { order_by: order, under = null, sample: size, seed, ...rest } = values;
  return { kind, order, under, ...rest, ...(size === null ? {} : { sample: { size, seed } }) };
}

export interface ExportedArchive {
  readonly engine: SearchEngine;
  readonly catalogue: Pick<Catalogue, 'path' | 'generation'> & Partial<Pick<Catalogue, 'isReadOnly'>>;
  readonly config: Pick<Config, 'permalinkBase'>;
}

/** What bytes depend on besides their plan: equal sources give equal bytes. */
export interface ExportSources {
  readonly permalinkBase: string;
  readonly generation: number;
  readonly index: Readonly<Record<Kind, IndexFingerprint>>;
}

/** Fields that may differ between copies of a record with the same fingerprint (model/hash.ts). */
const NOT_IN_FINGERPRINTS: readonly string[] = ['retrieved_utc', 'arrived_utc'];

type Fingerprints = Awaited<ReturnType<SearchEngine['fingerprints']>>;

/** Most tries if its sources change while it is opened. */
const MAX_TRIES = 5;

export interface OpenExport extends ExportRun {
  readonly index: IndexFingerprint;
  /** What its bytes depend on; null: unknown. */
  readonly sources: ExportSources | null;
}

export interface ShaperOptions {
  readonly kind: Kind;
  readonly format: Format;
  readonly compress: Compression;
  readonly fields: readonly string[] | null;
  readonly permalinkBase: string;
  /** null: communities are known from the records alone. */
  readonly catalogue: CatalogueFile | null;
  /** Metadata for formats that have a place for it: Parquet, each as `colloquy.<name>`. */
  readonly about?: Readonly<Record<string, string>>;
  /** Resumes a part; null: from the first byte. Everything else must be as it was. */
  readonly resume: Resumption | null;
}

export interface Resumption {
  readonly state: unknown;
  /** A file with exactly the bytes up to that step. */
  readonly part: string;
}

interface GoingOn {
  readonly skip: number;
  readonly resume: Resumption;
}

/** Throws a ServiceError if query, cursor, fields or format are invalid. */
export function exportPlan(wish: ExportWish): ExportPlan {
  const { kind, order, limit, format, compress, sample, names } = wish;
  const { query, echo, dropped } = interpretWithoutWindow(wish.query);
  const under = readUnder(wish.under);
  const after = readCursor(wish.after, order);
  const fields = readFields(wish.fields, kind);
  expectCompression(format, compress);
  return {
    wish,
    request: {
      ...{ kind, order, after, limit, arrived: needsArrived(fields) },
      query: names === undefined ? query : queryOfNames(names),
      ...(under === null ? {} : { under: under.query }),
      ...(sample === undefined ? {} : { sample }),
      ...sinceOf(wish),
    },
    query: echo,
    under: under === null ? null : under.echo,
    fields,
    dropped: [...dropped, ...(under?.dropped ?? [])],
    mediaType: mediaTypeOf(format, compress),
  };
}

/** Throws a ServiceError if the engine refuses the query, or if the format cannot hold so many records. */
export async function openExport(
  archive: ExportedArchive,
  plan: ExportPlan,
  signal?: AbortSignal,
  goingOn?: GoingOn,
): Promise<OpenExport> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const sources = await sourcesOf(archive, plan);
    if (sources === null) break;
    const run = await openAs(archive, plan, sources, signal, goingOn);
    // The view is taken first, and the catalogue is read when the shaper opens: either may be newer.
    if (isDeepStrictEqual(run.sources, sources)) return run;
    await run[Symbol.asyncDispose]();
  }
  return await openAs(archive, plan, null, signal, goingOn);
}

/** `before`: what the bytes depended on just now; null: unknown. */
async function openAs(
  archive: ExportedArchive,
  plan: ExportPlan,
  before: ExportSources | null,
  signal: AbortSignal | undefined,
  goingOn: GoingOn | undefined,
): Promise<OpenExport> {
  const { engine, config } = archive;
  const { wish, request, fields } = plan;
  const { path, isReadOnly = false } = archive.catalogue;
  const catalogue = path === null ? null : { path, isReadOnly };
  const shaper = shaperModule({
    ...{ kind: wish.kind, format: wish.format, compress: wish.compress, fields },
    ...{ permalinkBase: config.permalinkBase, catalogue },
    ...{ resume: goingOn?.resume ?? null, about: aboutOf(plan, before) },
  });
  if (before === null) await engine.refresh();
  const open = () => engine.export({ ...request, skip: goingOn?.skip ?? 0, shaper }, signal);
  const run = await tellingLimits(wish.query, open, wish.under ?? '');
  try {
    checkRecords(wish.format, run.head.total);
    const prints = await run.fingerprints();
    const index = prints[wish.kind];
    if (index instanceof IndexDamage) throw index;
    return Object.assign(run, { index, sources: before === null ? null : sourcesIn(archive, prints) });
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
}

/** What the bytes would depend on now; null: unknown. */
export async function sourcesOf(
  archive: ExportedArchive,
  { fields, request }: ExportPlan,
): Promise<ExportSources | null> {
  // A record that arrives again unchanged leaves fingerprints as they were.
  if (request.since !== undefined) return null;
  if (fields?.some((name) => NOT_IN_FINGERPRINTS.includes(name))) return null;
  await archive.engine.refresh();
  return sourcesIn(archive, await archive.engine.fingerprints());
}

function sourcesIn({ config, catalogue }: ExportedArchive, { post, comment }: Fingerprints) {
  if (post instanceof IndexDamage || comment instanceof IndexDamage) return null;
  const { permalinkBase } = config;
  return { permalinkBase, generation: catalogue.generation(), index: { post, comment } };
}

export function shaperModule(options: ShaperOptions): ShaperModule {
  return { url: new URL('./shaper.ts', import.meta.url).href, options };
}

function aboutOf({ wish, query, under, fields }: ExportPlan, sources: ExportSources | null) {
  return {
    ...{ made_by: 'Colloquy', bytes_version: String(BYTES_VERSION) },
    ...{ kind: wish.kind, query, order: wish.order, fields: (fields ?? DEFAULT_FIELDS[wish.kind]).join(',') },
    ...(sources === null ? {} : { index: JSON.stringify(sources.index[wish.kind]) }),
    ...(under === null ? {} : { under }),
    ...(wish.sample === undefined ? {} : { sample: String(wish.sample.size), seed: wish.sample.seed }),
    ...(wish.names === undefined ? {} : { ids: namesInShort(wish.names) }),
    ...(wish.after === null ? {} : { after: wish.after }),
    ...(wish.since ? { since: String(wish.since) } : {}),
    ...(wish.limit === null ? {} : { limit: String(wish.limit) }),
  };
}

/** Throws `bad_format`. */
function expectCompression(format: Format, compress: Compression): void {
  if (compressionsOf(format).includes(compress)) return;
  const known = compressionsOf(format).map((one) => `\`${one}\``);
  const expected = `${known.join(' or ')} with \`format=${format}\``;
  throw parameterFault('bad_format', 'compress', expected, `\`${compress}\``);
}

/** Other versions may compress to different bytes. */
const { zlib, zstd } = process.versions;

/** 22 characters of A–Z, a–z, 0–9, `-` and `_`. */
export function tagOf({ wish, request, query, under, fields }: ExportPlan, sources: ExportSources): string {
  const { kind, order, after, limit, format, compress } = wish;
  const given = { kind, query, under, order, after, limit, fields, format, compress, meant: request };
  const made = { bytes: BYTES_VERSION, zlib, zstd };
  const text = JSON.stringify([given, sources, made]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Equal for equal sets of names: `3 ids 2c26b46b68ffc68f`. */
export function namesInShort(names: readonly RecordName[]): string {
  const list = names.map(({ id, of }) => `${of ?? ''} ${id}\n`).sort();
  const digest = createHash('sha256').update(list.join('')).digest('hex');
  const count = list.length.toLocaleString('en');
  return `${count} ${list.length === 1 ? 'id' : 'ids'} ${digest.slice(0, 16)}`;
}

/** The names of the plan that are not found now, in its order: at most `most`. */
export async function missingNames(
  { engine }: ExportedArchive,
  { wish: { kind, names = [] } }: ExportPlan,
  most: number,
): Promise<readonly RecordName[]> {
  const missing = new Set<RecordName>();
  const ofKind = names.filter((name) => name.of === null || name.of === kind);
  const present = async (some: readonly RecordName[]) =>
    (await engine.ask({ kind, query: queryOfNames(some) })).total;
  /** `found`: how many of them exist. */
  const look = async (some: readonly RecordName[], found: number): Promise<void> => {
    if (found === some.length || missing.size >= most) return;
    if (found === 0) {
      for (const name of some) missing.add(name);
      return;
    }
    const half = some.slice(0, some.length >> 1);
    const inHalf = await present(half);
    await look(half, inHalf);
    await look(some.slice(half.length), found - inHalf);
  };
  for (let at = 0; at < ofKind.length && missing.size < most; at += NAMED_AT_ONCE) {
    const some = ofKind.slice(at, at + NAMED_AT_ONCE);
    await look(some, await present(some));
  }
  return names.filter((name) => missing.has(name) || (name.of !== null && name.of !== kind)).slice(0, most);
}
