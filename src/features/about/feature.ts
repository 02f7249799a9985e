import type { Feature } from '../../cli/feature.ts';

/** What this site is, and how a browser shows it. */
export const feature: Feature = {
  name: 'about',
  pages: async () => {
    const [about, settings] = await Promise.all([import('./page.ts'), import('./settings.ts')]);
    return (server, site) => {
      about.addPages(server, site);
      settings.addPages(server, site);
    };
  },
  light: ['/about', '/privacy'],
};
