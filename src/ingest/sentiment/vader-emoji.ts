// Emoji as words: VADER reads each as its description ("😁" as "beaming face with smiling eyes").

import { readFileSync } from 'node:fs';

const descriptions = readDescriptions();
const leastUnit = Math.min(...descriptions.keys());

/**
 * The text with every emoji of one code point replaced by its description; a blank goes before it unless it begins the
 * text or follows a blank. None comes after it: what follows sticks to its last word, as in the reference.
 */
export function describeEmoji(text: string): string {
  let described = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < leastUnit) continue;
    const point = text.codePointAt(i)!;
    const description = descriptions.get(point);
    const width = point > 0xffff ? 2 : 1;
    if (description !== undefined) {
      described += text.slice(copied, i);
      if (i > 0 && (i === copied || text[i - 1] !== ' ')) described += ' ';
      described += description;
      copied = i + width;
    }
    i += width - 1;
  }
  return copied === 0 ? text : described + text.slice(copied);
}

function readDescriptions(): ReadonlyMap<number, string> {
  const file = readFileSync(new URL('./emoji-lexicon.tsv', import.meta.url), 'utf8');
  return new Map(
    file
      .trimEnd()
      .split('\n')
      .map((line) => {
        const tab = line.indexOf('\t');
        return [line.codePointAt(0)!, line.slice(tab + 1)];
      }),
  );
}
