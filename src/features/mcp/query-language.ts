// The query language on one page, written for a language model, with one example per line.

export const QUERY_LANGUAGE = `# Query language

A query is items, separated by spaces or commas. A record matches if all of them do. Case does not matter. Nothing is
ranked by relevance and nothing is stemmed: \`cat\` does not find \`cats\`. An empty query matches every record.

- \`solar\`: the word: in title or text of a post, in the body of a comment
- \`solar panel\`: both words, anywhere in the text
- \`"solar panel"\`: the words next to each other, in this order
- \`inverter*\`: words that begin so
- \`solar|wind|"heat pump"\`: any of these
- \`solar -wind\`: the first, without the second
- \`solar -"heat pump"\`: without the phrase
- \`-solar|wind\`: neither of the two
- \`solar /r/energy\`: in this community
- \`solar /r/energy /r/solarpower\`: in either community
- \`solar -/r/energy\`: anywhere but there
- \`solar site:youtube.com\`: that link to this domain or a subdomain
- \`solar -site:youtube.com\`: that do not link there
- \`solar score:10\`: with a score of at least 10
- \`solar score:-5..5\`: with a score from -5 to 5
- \`solar after:2023-01-01\`: from that day on, in UTC
- \`solar after:2023-01-01 before:2024-01-01\`: in that year: the end is not included
- \`solar after:2023-01-01T12:30 before:2023-01-02\`: with times
- \`post:abc123\`: that belong to this post
- \`id:abc123\`: this one record

Rules that are often missed:

- A \`before:\` alone gets an \`after:\` one day earlier in searches, and is refused in analyses. Give both.
- Words are alternatives only with \`|\`; \`OR\`, \`AND\` and brackets mean nothing.
- Several communities, or several sites, are alternatives; several words are not.
- Authors are not stored: nothing can be found by who wrote it.
- A prefix needs a few letters; one that is too broad is refused.
- A query has at most 2,048 characters.

Posts and comments are searched by tools of their own. \`under\` finds comments of posts that match another query.
Several queries are compared by giving \`query\` as a list to \`count_…\` and \`timeline_…\`. The answer echoes the query as
it was understood: compare the echo with what you meant.
`;
