// One name for the bytes of an export: the same where the same request gives the same bytes. Contract 9.8.

import { createHash } from 'node:crypto';
import type { ExportPlan, ExportSources } from './export-service.ts';
import { BYTES_VERSION } from './formats.ts';

/** Compressed bytes may be others with another version of these. */
const { zlib, zstd } = process.versions;

/** 22 characters of A–Z, a–z, 0–9, `-` and `_`. */
export function tagOf({ wish, request, query, under, fields }: ExportPlan, sources: ExportSources): string {
  const { kind, order, after, limit, format, compress } = wish;
  const given = { kind, query, under, order, after, limit, fields, format, compress, meant: request };
  const made = { bytes: BYTES_VERSION, zlib, zstd };
  const text = JSON.stringify([given, sources, made]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
