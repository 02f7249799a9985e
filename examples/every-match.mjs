// The paging loop: every match of a query once, as NDJSON.
//
//   COLLOQUY_KEY=clq_… node examples/every-match.mjs comments 'solar -/r/politics' > solar.ndjson
//
// BASE is the address of the server (default http://127.0.0.1:8080).

const { BASE = 'http://127.0.0.1:8080', COLLOQUY_KEY } = process.env;
const [kind, ...words] = process.argv.slice(2);
const query = words.join(' ');

/** One page. Waits and retries if the server is busy or the key has reached its rate limit. */
async function ask(after) {
  const parameters = new URLSearchParams({ query, order_by: 'oldest', limit: '1000', after });
  for (;;) {
    const response = await fetch(`${BASE}/api/v1/search/${kind}?${parameters}`, {
      headers: { Authorization: `Bearer ${COLLOQUY_KEY}`, Accept: 'application/json' },
    });
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status !== 429 && response.status !== 503)
      throw new Error(`${answer.code}: ${answer.detail}`);
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
}

let after = '';
do {
  const page = await ask(after);
  for (const record of page.data) process.stdout.write(`${JSON.stringify(record)}\n`);
  after = page.sort_key[0]?.[0] ?? '';
} while (after !== '');
