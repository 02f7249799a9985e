// Pieces of pictures as plain SVG.

/** Okabe and Ito's colours, told apart by colour-blind readers too. */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#555555'];

export function text(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  kind = '',
): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" class="${kind}">${escaped}</text>`;
}

export function px(position: number): string {
  return position.toFixed(1);
}

/** On a ground of its own, so that it can be read on a dark page. */
export function svg(width: number, height: number, title: string, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${title}</title>`,
    '<style>text { font: 12px system-ui, sans-serif; fill: #222 } .title { font-weight: 600; font-size: 14px } .grid { stroke: #ccc }</style>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(16, 26, title, 'start', 'title'),
    ...content,
    '</svg>\n',
  ].join('\n');
}
