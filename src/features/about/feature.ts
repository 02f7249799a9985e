import type { Feature } from '../../cli/feature.ts';

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
