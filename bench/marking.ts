// What finding the places of tokens costs beside finding the tokens alone, for each script and for real texts, and what
// marking a page of 25 texts takes.
// Run: npm run bench -- marking [FILE OF COMMENTS, NDJSON or zstd]   (default:
// ../shared/data/corpus/comments_550k.ndjson.zst)

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { segmentsOf } from '../src/http/views/record-text.ts';
import type { Word } from '../src/model/query.ts';
import { tokenSpans, tokens } from '../src/text/tokenizer.ts';
import { realComments } from './real-corpus.ts';

/** Made up in the shape of each script: words, marks, signs between them. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'Latin, plain': 'The panel on the roof still gives 92 % of its rated output, after ten years. ',
  'Latin, accents': 'Été à Zürich : façade, naïveté, crème brûlée, Straße, Ångström, żółw, řeka. ',
  'Latin, combining marks': 'E\u0301te\u0301 a\u0300 Zu\u0308rich, fac\u0327ade, nai\u0308vete\u0301. ',
  Cyrillic: 'Солнечная панель на крыше: её мощность ещё высока, Ёлка и йод. ',
  Greek: 'Ο ήλιος λάμπει, η στέγη ζεσταίνεται· ΣΊΣΥΦΟΣ, οδός. ',
  Han: '太阳能电池板在屋顶上，十年以后还有百分之九十二的输出。',
  'Han past U+FFFF': '𠮷野家𠀋𡈽𡌛、吉野家。',
  Kana: 'ソーラーパネルは屋根の上にあります。とてもよいです。',
  'Kana, halfwidth and combining': 'ｿｰﾗｰﾊﾟﾈﾙ、か\u3099き\u3099、ﾃﾞﾝｷ。',
  Thai: 'แผงโซลาร์เซลล์บนหลังคายังให้พลังงานได้ดี น้ำและไฟฟ้า ',
  Lao: 'ນ້ຳແລະໄຟຟ້າ ຢູ່ເທິງຫລັງຄາ ',
  Khmer: 'ពន្លឺព្រះអាទិត្យនៅលើដំបូល ',
  Myanmar: 'နေရောင်ခြည်စွမ်းအင်သုံး ပြား ',
  Hangul: '태양광 패널은 지붕 위에 있습니다. 십 년이 지나도 좋아요. ',
  'Hangul in jamo': '태양광 패널은 지붕 위에. '.normalize('NFD'),
  Arabic: 'الألواح الشمسية على السطح ما زالت تعمل، والحمد لله. ',
  'Arabic, vowel marks': 'الشَّمْسُ مُشْرِقَةٌ وَالسَّمَاءُ صَافِيَةٌ. ',
  Hebrew: 'הלוחות הסולאריים על הגג עדיין עובדים. שָׁלוֹם ',
  Devanagari: 'छत पर सौर पैनल अब भी अच्छी बिजली देता है। हिन्दी ',
  Tamil: 'கூரையில் உள்ள சூரிய தகடுகள் நன்றாக இயங்குகின்றன. ',
  Emoji: '☀️ 😂😂 👩🏽‍🔬 🇩🇪 1️⃣ ❤️ panel 👨‍👩‍👧 👍🏿 ',
  Entities: 'rock &amp;amp; roll &lt;b&gt; caf&eacute; &amp;#x200B; it&#39;s &quot;here&quot; ',
  'Default-ignorables': 'pa\u00adnel so\u200blar zero\u200dwidth\u2060join\ufeff er ',
  Compatibility: 'ﬁne ½ ² Ⅷ ｆｕｌｌ ⑴ ㈠ 𝐀𝐁 ',
};

const WORDS: readonly Word[] = [
  { kind: 'term', token: 'the', typed: 'the' },
  { kind: 'phrase', tokens: ['of', 'the'], typed: 'of the' },
  { kind: 'prefix', prefix: 'so', typed: 'so*' },
];

console.log('script                            tokens() MB/s  tokenSpans() MB/s  ratio');
for (const [name, sentence] of Object.entries(SCRIPTS)) {
  print(name, [sentence.repeat(Math.ceil(4000 / sentence.length))]);
}

const file =
  process.argv[2] ??
  fileURLToPath(new URL('../../shared/data/corpus/comments_550k.ndjson.zst', import.meta.url));
if (existsSync(file)) await measureReal();
else console.log(`real texts: skipped, ${file} is not here`);

async function measureReal(): Promise<void> {
  for await (const comments of realComments(file, 20_000)) {
    const texts = comments.map(({ body }) => body);
    print('real comments, 20,000', texts);
    const pages = Array.from({ length: texts.length / 25 }, (_, page) =>
      texts.slice(page * 25, page * 25 + 25),
    );
    const times = pages
      .map((page) => timeOf(() => page.map((text) => segmentsOf(text, WORDS))))
      .sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor((times.length - 1) * share)]!.toFixed(2);
    console.log(`marking 25 whole texts, ms: median ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`);
    return;
  }
}

function print(name: string, texts: readonly string[]): void {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const run = (work: (text: string) => unknown) => () => {
    for (const text of texts) work(text);
  };
  const [plain, placed] = fastest([run(tokens), run(tokenSpans)], units);
  const speed = (ms: number) => ((units * 2) / 1e3 / ms).toFixed(1).padStart(8);
  console.log(
    `${name.padEnd(32)} ${speed(plain!)}       ${speed(placed!)}         ${(placed! / plain!).toFixed(2)}`,
  );
}

/** Least milliseconds of one run of each, over rounds in turn: what else the machine does counts in few of them. */
function fastest(works: readonly (() => void)[], units: number): number[] {
  const repeats = Math.max(1, Math.ceil(100_000 / units));
  const best = works.map(() => Infinity);
  for (let round = 0; round < (repeats === 1 ? 10 : 40); round++) {
    for (const [i, work] of works.entries()) {
      const began = performance.now();
      for (let n = 0; n < repeats; n++) work();
      best[i] = Math.min(best[i]!, (performance.now() - began) / repeats);
    }
  }
  return best;
}

function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
