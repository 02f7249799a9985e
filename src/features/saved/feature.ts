import type { Feature } from '../../cli/feature.ts';
import { FEED_PATH, feedsNotice, PUBLIC_FEED_PATHS, PUBLIC_FEEDS, SAVED_PAGE } from './addresses.ts';

export const feature: Feature = {
  name: 'saved',
  operations: async () => (await import('./operation.ts')).operations,
  endpoints: async () => (await import('./feed-routes.ts')).addFeedRoute,
  machines: [`${FEED_PATH}/`, ...Object.values(PUBLIC_FEED_PATHS)],
  pages: async () => (await import('./page.ts')).addPages,
  tables: async () => ({ accounts: (await import('./store.ts')).SAVED }),
  onRemoval: 'keeps none',
  ofAccount: async () => (await import('./store.ts')).OF_ACCOUNT,
  account: [{ path: SAVED_PAGE, name: 'Saved', isInHeader: true }],
  results: async () => (await import('./views.ts')).partOfResults,
  settings: [PUBLIC_FEEDS],
  startNotice: feedsNotice,
  guides: [{ path: '/docs/feeds', file: 'feeds.md', name: 'Feeds', endpoints: ['saved'] }],
  commands: {
    saved: async () => (await import('./command.ts')).savedCommand(),
    watch: async () => (await import('./watch.ts')).watchCommand(),
  },
};
