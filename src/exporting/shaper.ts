// What an engine loads into the thread that makes an export: records become the bytes of a file.

import type { ExportHead, ExportView, RecordShaper } from '../model/export.ts';
import { columnsOf, RowSource } from './columns.ts';
import type { ShaperOptions } from './state.ts';
import { openTextForm } from './text-forms.ts';
import { openTextShaper } from './text-shaper.ts';

/**
 * See OpenShaper; the options are ShaperOptions. Every piece of bytes stands in memory of its own, which may be handed
 * on to another thread. Throws a StorageError where what is to go on is not what was left, or the catalogue cannot be
 * read.
 */
export async function openShaper(given: unknown, head: ExportHead, view: ExportView): Promise<RecordShaper> {
  const options = given as ShaperOptions;
  const source = new RowSource(options, view);
  try {
    const { kind, format, compress, fields, resume, about = {} } = options;
    if (format === 'parquet') {
      // Only here: loading it would keep the first byte of the others back.
      const { openParquetShaper } = await import('./parquet-shaper.ts');
      const counts = { total_count: String(head.total), matches: String(head.matches) };
      return await openParquetShaper(columnsOf(kind, fields), { ...about, ...counts }, source, resume);
    }
    return await openTextShaper(openTextForm(format, kind, fields), compress, source, resume);
  } catch (error) {
    source.close();
    throw error;
  }
}
