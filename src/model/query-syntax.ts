// The lexical rules of the query language that its parser (search/parser.ts) and its printer (print-query.ts) share:
// separators, quotes, and what makes an item an operator. Rules 5 and 6 of "Query language" in the decisions.

/** White space (the Unicode property White_Space) and the comma separate items. A character class, to be bracketed. */
export const SEPARATORS = String.raw`\p{White_Space},`;

/** Straight and curly double quotes; any of them opens a phrase, any of them closes it. `„` and `‟` are among them. */
export const QUOTES = '"\u201c\u201d\u201e\u201f';

/** Scores are typed with at most this many digits. */
export const MAX_SCORE_DIGITS = 9;

/** Of communities and of posts the operator is known by the form of the item, not by a name before a colon. */
export type OperatorKind = 'community' | 'site' | 'score' | 'before' | 'after' | 'post' | 'reserved';

/** An item (or one side of a `|`) that is no word, cut in two. */
export interface Operator {
  readonly kind: OperatorKind;
  /** As it is printed: lower case, with its colon (`site:`), `/r/`, `/u/`; `post:` for a link to a post. */
  readonly name: string;
  /** What stands behind the name, as typed; the id for a link to a post. May be empty. */
  readonly value: string;
}

// Only `site` … `post` mean something; the other names are kept for operators to come.
const NAMED =
  /^(?:(site|score|before|after|post)|author|body|comment|flair|id|lang|nsfw|sentiment|title|type):/i;
const COMMUNITY = /^\/?([ru])\//i;

// The addresses under which the site and its clients link to a post, or to a comment of it; also relative ones, as
// records have them in `permalink`. Each is read in one pass: no part can match in two ways.
const POST_LINKS = [
  /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)*reddit\.com(?:\/(?:r|u|user)\/[^/?#]+)?\/(?:comments|gallery)\/([\w-]{1,64})(?:[/?#]|$)/i,
  /^(?:https?:\/\/)?(?:www\.)?redd\.it\/([\w-]{1,64})\/?(?:[?#]|$)/i,
  /^(?:\/?[ru]|\/user)\/[^/?#]+\/comments\/([\w-]{1,64})(?:[/?#]|$)/i,
];

/** null where the text is a word. `text` holds no separator and no `-` before it. Linear time. */
export function readOperator(text: string): Operator | null {
  const post = linkedPost(text);
  if (post !== null) return { kind: 'post', name: 'post:', value: post };
  const community = COMMUNITY.exec(text);
  if (community !== null) {
    return {
      kind: 'community',
      name: `/${community[1]!.toLowerCase()}/`,
      value: text.slice(community[0].length),
    };
  }
  const named = NAMED.exec(text);
  if (named === null) return null;
  const name = named[0].toLowerCase();
  const kind = named[1] === undefined ? 'reserved' : (name.slice(0, -1) as OperatorKind);
  return { kind, name, value: text.slice(name.length) };
}

/** A longer text is no link: it is longer than any query. */
const MAX_LINK_UNITS = 4096;

/** The id (as it stands there) where the text is wholly a link to a post of the site, or to a comment of one. */
export function linkedPost(text: string): string | null {
  if (text.length > MAX_LINK_UNITS) return null;
  for (const link of POST_LINKS) {
    const found = link.exec(text);
    if (found !== null) return found[1]!;
  }
  return null;
}

const NOT_BARE = new RegExp(`^[-${QUOTES}]|[${SEPARATORS}|]`, 'u');

/** Whether the parser takes this text, without quotes around it, for one word of any-of. `*` at its end is the caller's. */
export function isBare(text: string): boolean {
  return text !== '' && !NOT_BARE.test(text) && readOperator(text) === null;
}
