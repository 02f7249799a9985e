// Texts that try to leave their place: markup, scripts, broken escapes, directions of writing, piles of marks, long
// words.

const PAYLOADS: readonly string[] = [
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus='alert(1)' autofocus='",
  '<svg/onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  '//evil.example/x',
  'https://evil.example/" onclick="alert(1)',
  'https://user:secret@evil.example/',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button>Sign in</button></form>',
  '<style>*{display:none}</style>',
  '<!-- ',
  '--> <b>x</b>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;',
  '&#x3c;script&#x3e;alert(1)&#60;/script&#62;',
  '&#0; &#xD800; &#x110000; &bogus;',
  '$' + '{alert(1)} {{7*7}} <%= 1 %> #{1}',
  '\u202eevil\u202d \u2066x\u2067y\u2068z\u2069 \u061c\u200e\u200f',
  '\u2028line\u2029paragraph\u0085next',
  'a\u0000b\u0007c\u001b[31mred\u007f\u0080\u009f',
  `Z${'\u0300\u0301\u0302\u0303\u0489'.repeat(60)}algo`,
  `${'W'.repeat(3000)}`,
  `${'\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(50)}`,
  '\u0430\u0440\u0440\u04cf\u0435.com',
  'https://\u0430\u0440\u0440\u04cf\u0435.com/',
  '\u05e9\u05dc\u05d5\u05dd <b>\u0645\u0631\u062d\u0628\u0627</b> 123',
  '\u200b\u200c\u200d\u2060\ufeff hidden',
  '\ud800 lone \udc00',
  '\ufff9annotated\ufffabelow\ufffb',
  '\n\n\n\n\n\n\n\n\n\n\n\n\n\nlate',
  '\u{e0001}\u{e0041}tag',
  '\\u003cscript\\u003e',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<details open ontoggle=alert(1)>',
  '<<script>script>alert(1)<</script>/script>',
];

/** Each payload alone, then joined with others and with plain words, in a fixed order. */
export function hostileTexts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const payload = PAYLOADS[i % PAYLOADS.length]!;
    const other = PAYLOADS[(i * 7 + Math.floor(i / PAYLOADS.length)) % PAYLOADS.length]!;
    switch (Math.floor(i / PAYLOADS.length) % 5) {
      case 0:
        return payload;
      case 1:
        return `plain ${payload} words`;
      case 2:
        return `${payload}${other}`;
      case 3:
        return `${other}\n${payload}`;
      default:
        return `<b title="${payload}">${i}</b>`;
    }
  });
}
