// Tools for language models by the Model Context Protocol.

import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'mcp',
  commands: { mcp: async (features) => (await import('./command.ts')).mcpCommand(features) },
  guides: [{ path: '/docs/mcp', file: 'mcp.md', name: 'Language models' }],
};
