// Markdown tables of the benchmark, and how numbers stand in them.

import type { Times } from './measure.ts';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Median and 99th percentile. */
export function ms(times: Times | undefined): string {
  if (times === undefined) return '';
  return `${times.p50.toFixed(2)} (${times.p99.toFixed(1)})`;
}

export function count(number: number): string {
  return Math.round(number).toLocaleString('en');
}
