// The pages of a server that is too busy. They are made once and need no frame: under load they are most of what people
// get. They have a style of their own, since that of the other pages would be most of their bytes.

import { createHash } from 'node:crypto';
import { PAGE_HEADERS } from './headers.ts';

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{margin:0 auto;max-width:34rem;padding:2.5rem 1rem;background:light-dark(#fff,#111417);' +
  'color:light-dark(#14171a,#e8ebee);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}' +
  'h1{font-size:1.75rem;line-height:1.25}a{color:light-dark(#0b57b0,#86b7ff)}';

/** A string: it goes out with its head at once. */
function page(next: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error: Server is busy – Colloquy</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<style>${STYLE}</style>
</head>
<body>
<p><a href="/">Colloquy</a></p>
<main>
<h1 id="problem">The server is busy at the moment</h1>
<p>It has more to do than it can at once, and nothing is wrong with what you asked.</p>
<p>${next}</p>
</main>
</body>
</html>
`;
}

export const BUSY_PAGE = page('<a href="">Try again</a> in a few seconds.');
/** Where a form was sent. */
export const BUSY_FORM_PAGE = page(
  'Nothing was changed. Wait a few seconds, go back, and send the form again.',
);

/** Beside `Retry-After`. */
export const BUSY_HEADERS = {
  ...PAGE_HEADERS,
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;
