// XML as tests read it: well-formed documents of elements, attributes and texts alone, as Atom is written here.
// Whatever else stands in a document is refused.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Of the element itself, without those of its children. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
};

/** Productions 2 and 66 of XML 1.0, without the control characters that it discourages. */
const FORBIDDEN = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The root of a document. Throws where it is not well-formed. */
export function parseXml(document: string): Element {
  const head = '<?xml version="1.0" encoding="utf-8"?>\n';
  if (!document.startsWith(head)) throw new Error('expected a declaration with utf-8');
  if (FORBIDDEN.test(document)) throw new Error(`found ${JSON.stringify(FORBIDDEN.exec(document)![0])}`);
  const root = { name: '', attributes: {}, children: [] as Element[], text: '' };
  const open = [root];
  let at = head.length;
  for (const tag of document.slice(at).matchAll(/<(\/?)([A-Za-z]+)((?:\s+[A-Za-z]+="[^"<]*")*)(\/?)>/g)) {
    const start = head.length + tag.index;
    addText(open.at(-1)!, document.slice(at, start));
    at = start + tag[0].length;
    const [, closes, name = '', attributes = '', isEmpty] = tag;
    if (closes !== '') {
      const element = open.pop()!;
      if (element.name !== name) throw new Error(`expected </${element.name}>, found </${name}>`);
      continue;
    }
    const element = { name, attributes: attributesIn(attributes), children: [] as Element[], text: '' };
    open.at(-1)!.children.push(element);
    if (isEmpty === '') open.push(element);
  }
  addText(open.at(-1)!, document.slice(at));
  if (open.length !== 1 || root.children.length !== 1) throw new Error('expected one element that is closed');
  if (root.text.trim() !== '') throw new Error('expected nothing outside of the root');
  return root.children[0]!;
}

/** All elements of this name directly below. */
export function childrenOf(element: Element, name: string): readonly Element[] {
  return element.children.filter((child) => child.name === name);
}

function addText(element: { text: string }, raw: string): void {
  if (raw.includes('<') || raw.includes(']]>'))
    throw new Error(`found a stray sign in ${JSON.stringify(raw)}`);
  element.text += decoded(raw);
}

function attributesIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([A-Za-z]+)="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    decoded(value!),
  ]);
  const attributes = Object.fromEntries(pairs);
  if (Object.keys(attributes).length !== pairs.length) throw new Error('expected each attribute once');
  return attributes;
}

function decoded(raw: string): string {
  return raw.replace(/&(#?[a-z0-9]*;?)/g, (entity, name: string) => {
    const character = name.endsWith(';') ? ENTITIES[name.slice(0, -1)] : undefined;
    if (character === undefined) throw new Error(`found the entity ${entity}`);
    return character;
  });
}
