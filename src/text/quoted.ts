// How messages show a text that somebody wrote.

const MAX_SHOWN = 60;

/** The text in backticks, cut after MAX_SHOWN characters, control characters and lone surrogates made visible. */
export function quoted(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)];
  const isCut = characters.length > MAX_SHOWN;
  const shown = characters
    .slice(0, MAX_SHOWN)
    .join('')
    .replace(/\p{Cc}|\p{Cs}/gu, '\ufffd');
  return `\`${shown}${isCut ? '…' : ''}\``;
}
