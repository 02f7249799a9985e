// How somebody's text is shown on one line: in a message, or in a list.

const MAX_QUOTED = 60;

/**
 * In backticks, for a message: cut after `most` characters, with control characters and lone surrogates made
 * visible.
 */
export function quoted(text: string, most = MAX_QUOTED): string {
  return `\`${cut(text.slice(0, 2 * most + 2), most).replace(/\p{Cc}|\p{Cs}/gu, '\ufffd')}\``;
}

/**
 * The first `most` characters, then `…` if there are more; a run of white space and control characters
 * becomes one space.
 */
export function oneLine(text: string, most: number): string {
  return cut(text.replace(/[\s\p{Cc}\p{Cf}\p{Cn}]+/gu, ' ').trim(), most);
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
