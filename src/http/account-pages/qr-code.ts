// A QR code as SVG: dark on light in every theme, as readers expect, with the quiet zone of 4 modules that ISO/IEC
// 18004 asks for.

import { encode } from 'uqr';
import { type Html, html } from '../views/html.ts';

const QUIET_ZONE = 4;

/** `label` says what it is to those who do not see it. */
export function qrCode(text: string, label: string): Html {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const runs = data.flatMap((modules, y) =>
    runsOf(modules).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`;
}

/** Where dark modules stand in a row, and how many. */
function runsOf(modules: readonly boolean[]): [at: number, width: number][] {
  const runs: [number, number][] = [];
  for (const [at, isDark] of modules.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last[0] + last[1] === at) last[1]++;
    else runs.push([at, 1]);
  }
  return runs;
}
