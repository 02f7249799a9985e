// Every error that a caller can act on, in one table: code, HTTP status, title. docs/errors.md has the same
// table for callers; a test compares the two.

/**
 * Code → its status and title, and the parameters whose bad values are told by it. The codes are part of the API and
 * are never renamed within /api/v1.
 */
export const PROBLEMS = {
  // The query, with a `position`.
  nothing_to_search: { status: 400, title: 'Nothing to search for' },
  bad_prefix: { status: 400, title: 'Prefix not understood' },
  bad_date: { status: 400, title: 'Date not understood' },
  bad_score: { status: 400, title: 'Score not understood' },
  bad_community: { status: 400, title: 'Community not understood' },
  bad_site: { status: 400, title: 'Site not understood' },
  bad_post: { status: 400, title: 'Post not understood' },
  bad_id: { status: 400, title: 'Id not understood' },
  open_quote: { status: 400, title: 'Quote not closed' },
  double_negation: { status: 400, title: 'Negated twice' },
  cannot_negate: { status: 400, title: 'Cannot be negated' },
  reserved_operator: { status: 400, title: 'Operator reserved' },
  query_too_long: { status: 400, title: 'Query too long' },
  too_many_items: { status: 400, title: 'Too many items' },
  phrase_too_long: { status: 400, title: 'Phrase too long' },
  prefix_too_broad: { status: 400, title: 'Prefix too broad' },
  open_window: { status: 400, title: '`before:` without `after:`' },
  // The other parameters.
  missing_query: { status: 400, title: 'Parameter `query` missing' },
  unknown_parameter: { status: 400, title: 'Unknown parameter' },
  repeated_parameter: { status: 400, title: 'Parameter given twice' },
  bad_encoding: { status: 400, title: 'Percent-encoding not understood' },
  bad_limit: { status: 400, title: 'Parameter `limit` not understood', of: ['limit'] },
  bad_order: { status: 400, title: 'Parameter `order_by` not understood', of: ['order_by'] },
  bad_cursor: { status: 400, title: 'Cursor not understood', of: ['after'] },
  cursor_of_other_order: { status: 400, title: 'Cursor of another order' },
  bad_fields: { status: 400, title: 'Parameter `fields` not understood', of: ['fields'] },
  bad_ids: { status: 400, title: 'Parameter `ids` not understood', of: ['ids'] },
  too_many_ids: { status: 400, title: 'Too many ids' },
  records_too_large: { status: 400, title: 'Records too large' },
  bad_shape: { status: 400, title: 'Parameter `shape` not understood', of: ['shape'] },
  thread_too_large: { status: 400, title: 'Thread too large for a tree' },
  too_many_posts: { status: 400, title: 'Too many posts' },
  too_many_rows: { status: 400, title: 'Too many rows for the format' },
  bad_format: { status: 400, title: 'Format not understood', of: ['format', 'compress'] },
  bad_value: { status: 400, title: 'Value of a parameter not understood' },
  too_many_queries: { status: 400, title: 'Too many queries' },
  too_many_buckets: { status: 400, title: 'Too many buckets' },
  too_many_cells: { status: 400, title: 'Too many cells' },
  too_many_matches: { status: 400, title: 'Too many matches' },
  sample_too_large: { status: 400, title: 'Sample too large' },
  // The request as a whole.
  malformed_request: { status: 400, title: 'Malformed request' },
  missing_key: { status: 401, title: 'API key missing' },
  invalid_key: { status: 401, title: 'API key not valid' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  dataset_withdrawn: { status: 410, title: 'Data set withdrawn' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 400, title: 'Request took too long to arrive' },
  body_too_large: { status: 413, title: 'Body too large' },
  uri_too_long: { status: 414, title: 'Address too long' },
  range_not_satisfiable: { status: 416, title: 'Range outside of the file' },
  misdirected_request: { status: 421, title: 'Host not answered here' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  too_many_exports: { status: 429, title: 'Too many exports' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  not_on_this_engine: { status: 501, title: 'Not on this search engine' },
  query_timeout: { status: 503, title: 'Query took too long' },
  busy: { status: 503, title: 'Busy' },
  index_damaged: { status: 503, title: 'Index damaged' },
  storage_unavailable: { status: 503, title: 'Storage unavailable' },
  engine_unavailable: { status: 503, title: 'Search engine unavailable' },
} as const satisfies Record<string, { status: number; title: string; of?: readonly string[] }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The code of a bad value of the parameter; `bad_value` where it has none of its own. */
export function codeOfParameter(name: string): ProblemCode {
  const isOf = (code: ProblemCode) => {
    const row: { readonly status: number; readonly of?: readonly string[] } = PROBLEMS[code];
    return row.of?.includes(name) === true;
  };
  return (Object.keys(PROBLEMS) as ProblemCode[]).find(isOf) ?? 'bad_value';
}

/** A place in the text of a query, in UTF-16 units. */
export interface Position {
  /** Where the query stands; absent: in `query`. */
  readonly parameter?: 'under' | 'against';
  /** Which of several queries it is, from 0; absent: only one was given, or it is in `parameter`. */
  readonly query?: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * An error that a caller can act on. `message` says what was expected and what was found: lower case, no
 * final full stop.
 */
export class ServiceError extends Error {
  readonly code: ProblemCode;
  readonly position: Position | undefined;
  /** Seconds to wait before another try; only for 429 and 503. */
  readonly retryAfter: number | undefined;
  /** The methods of the path; only for 405. */
  readonly allow: string | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    options: { position?: Position; retryAfter?: number; allow?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.position = options.position;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** `parameter \`limit\`: expected 1 to 1000, found \`0\``. */
export function parameterFault(
  code: ProblemCode,
  name: string,
  expected: string,
  found: string,
): ServiceError {
  return new ServiceError(code, `parameter \`${name}\`: expected ${expected}, found ${found}`);
}

/**
 * Wrong usage or bad input on the command line: one line that says what was wrong and what is expected; exit code 2.
 */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * What is on disk is not what was written, or the disk refuses: damage, no space, no right. The message names the file
 * and the next step, for the operator: one line and exit code 1 on the command line, in the log of a server; callers of
 * the API get `storage_unavailable` where nothing is damaged, `index_damaged` where a kind of record cannot be read
 * (model/engine-errors.ts), else an internal error.
 */
export class StorageError extends Error {
  readonly refusal: Refusal | null;

  constructor(message: string, options: { cause?: unknown; refusal?: Refusal | null } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StorageError';
    this.refusal = options.refusal ?? null;
  }
}

export type Refusal = keyof typeof REFUSALS;

const REFUSALS = {
  full: 'expected free space, found none; make room and repeat the command: everything acknowledged is kept',
  broken: 'expected a working disk, found one that fails; check the system log, then run `colloquy check`',
  files:
    'expected to open another file, found that too many are open; raise the limit (`ulimit -n`) and repeat the command',
  closed:
    'expected a file that can be opened, found one that cannot; check its owner and mode, ' +
    'the free space on its disk and `ulimit -n`',
  readOnly:
    'expected a writable file or folder, found one that is read-only; change its owner or mode and repeat the command',
  rights:
    'expected a file or folder that you have the right to read and write, ' +
    'found one that you do not; change its owner or mode and repeat the command',
} as const;

const REFUSAL_OF: Readonly<Record<string, Refusal>> = {
  ...{ ENOSPC: 'full', EDQUOT: 'full', EFBIG: 'full', EIO: 'broken', EMFILE: 'files', ENFILE: 'files' },
  ...{ EACCES: 'rights', EPERM: 'rights', EROFS: 'readOnly' },
};

/** SQLite's primary result codes: READONLY, IOERR, FULL, CANTOPEN. */
const SQLITE_REFUSAL_OF: Readonly<Record<number, Refusal>> = {
  8: 'readOnly',
  10: 'broken',
  13: 'full',
  14: 'closed',
};
/** Of its I/O errors, the one of a `-shm` that there is no room for. */
const SQLITE_IOERR_SHMSIZE = 4874;

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of the thrown value (`ENOENT`); null if it has none. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The path of the file that was not found; null if something else was thrown. */
export function missingPath(error: unknown): string | null {
  if (systemCode(error) !== 'ENOENT') return null;
  return error instanceof Error && 'path' in error ? String(error.path) : '';
}

/** SQLite's primary result code (https://www.sqlite.org/rescode.html) of the thrown value; null if it has none. */
export function sqliteCode(error: unknown): number | null {
  const isSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isSqlite ? Number(error.errcode) & 0xff : null;
}

/** How the system or SQLite refused; null: the error, and what caused it, is something else. */
export function systemRefusal(error: unknown): Refusal | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof StorageError && error.refusal !== null) return error.refusal;
  if ('errcode' in error && error.errcode === SQLITE_IOERR_SHMSIZE) return 'full';
  const result = sqliteCode(error);
  const own = result === null ? REFUSAL_OF[systemCode(error) ?? ''] : SQLITE_REFUSAL_OF[result];
  // What loads a module says so in words alone.
  return own ?? (/EMFILE|too many open files/.test(error.message) ? 'files' : systemRefusal(error.cause));
}

/** A StorageError that names `place` if the system or SQLite refused to read or write; otherwise the error itself. */
export function storageError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  const refusal = systemRefusal(error);
  if (refusal === null) return error;
  return new StorageError(`\`${place}\`: ${REFUSALS[refusal]} (${error.message})`, { cause: error, refusal });
}

/** Runs `work`, and throws a StorageError that names `place` where the system or SQLite refuses it. */
export function naming<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error, place);
  }
}
