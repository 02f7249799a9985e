// An example of a citation, for OpenAPI and the reference.

import type { CitationJson } from '../citing/citation-json.ts';
import { citationId } from '../citing/cited-answer.ts';

const ANSWER = {
  query: 'solar,/r/energy,after:2020-01-01',
  kinds: {
    comments: {
      total: 12_408,
      fingerprint: '3d7eb5588e3293a7',
      index: { fingerprint: '9a0364b9e99bb480', records: 1_234_567 },
      months: [
        { month: '2020-01', count: 12_000, fingerprint: '1d7eb5588e3293a0' },
        { month: '2020-02', count: 408, fingerprint: '2000000000000007' },
      ],
    },
  },
};

export const EXAMPLE_CITATION: CitationJson = {
  ...{ type: 'citation', id: citationId(ANSWER), ...ANSWER },
  time: 1_795_305_600,
  note: 'Table 2',
  software: { colloquy: '1.2.0', tokenizer: 1, unicode: '17.0' },
  sources: [
    {
      file: 'RC_2020-01.zst',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      where: null,
    },
  ],
};
