// Example answers about data sets for the OpenAPI document. They are invented.

const SUMMARY = {
  name: 'solar',
  title: 'Solar power',
  licence: 'CC-BY-4.0',
  state: 'published',
  url: 'https://search.example.org/api/v1/datasets/solar',
  kinds: ['comments'],
  query: '/r/solarpower',
  formats: ['parquet'],
  created: 1795341600,
  made: 1795341660,
  edition: 1,
  records: 1,
  bytes: 4096,
};

export const EXAMPLE_DATASETS = {
  ...{ type: 'datasets', kind: null, query: null, index: null },
  datasets: [SUMMARY],
};

const INDEX = { fingerprint: '57d7b413b5352bed', records: 952 };

export const EXAMPLE_DATASET = {
  type: 'dataset',
  kind: 'comments',
  index: INDEX,
  ...SUMMARY,
  split_every: null,
  tables: [
    {
      kind: 'comments',
      records: 1,
      first: 1609545777,
      last: 1609545777,
      index: INDEX,
      rows: [
        {
          type: 'comment',
          id: 'ghq1b2c',
          subreddit: { id: '2qhno', name: 'solarpower', nsfw: false },
          created_utc: 1609545777,
          permalink: 'https://www.reddit.com/r/solarpower/comments/kofq2a/_/ghq1b2c/',
          body: 'The inverter hums, and that is fine.',
          sentiment: 0.2023,
          score: 7,
        },
      ],
    },
  ],
  files: [
    {
      name: 'solar-comments.parquet',
      bytes: 4096,
      sha256: '57e4ae5658ed1b880f589ad98e39debf55fc9dd4e305e4fd37df7f140fae8e22',
      url: 'https://search.example.org/api/v1/datasets/solar/solar-comments.parquet',
      kind: 'comments',
      format: 'parquet',
      records: 1,
    },
  ],
};
