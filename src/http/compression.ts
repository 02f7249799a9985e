// Content codings of answers: gzip, Brotli and zstd, as `Accept-Encoding` asks (RFC 9110, 12.5.3).

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

export type Coding = 'zstd' | 'br' | 'gzip';

/** A body of fewer bytes is sent as it is: compressing it would save less than a packet. */
export const MIN_COMPRESSED_BYTES = 1024;

/** In our order of preference, for callers who name several with equal weight. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];
/** In our order for codings that the caller only allows by `*`: first the one everybody can read. */
const UNNAMED: readonly Coding[] = ['gzip', 'br', 'zstd'];
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const zstdAsync = promisify(zstdCompress);

/** The coding to use; null: none, even if the caller forbids that, since an answer is better than a 406. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    weights.set(ALIASES[name] ?? name, weightOf(parameters));
  }
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const named = CODINGS.filter((coding) => weights.has(coding));
  const candidates = [...named, ...UNNAMED.filter((coding) => !weights.has(coding))];
  const best = candidates.reduce((chosen, coding) => (weight(coding) > weight(chosen) ? coding : chosen));
  return weight(best) > 0 && weight(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/** A weight that cannot be read counts as 0. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

/** The lowest levels whose answers are smaller than those of gzip's default (bench/codings.ts). */
export async function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case 'gzip':
      return gzipAsync(body, { level: 6 });
    case 'br':
      return brotliAsync(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 5,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      });
    case 'zstd':
      return zstdAsync(body, { params: { [constants.ZSTD_c_compressionLevel]: 6 } });
  }
}
