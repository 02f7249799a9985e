// Tools for language models over the Model Context Protocol.

import type { Feature } from '../../cli/feature.ts';
import { settingOf, switchSetting } from '../../config.ts';

const MCP = switchSetting('COLLOQUY_MCP');

export const feature: Feature = {
  name: 'mcp',
  settings: [MCP],
  // Loads the protocol library only if the endpoint is enabled.
  endpoints: async () => async (server, deps) => {
    if (settingOf(deps.archive.config, MCP) === 'on')
      (await import('./endpoint.ts')).addMcpEndpoint(server, deps);
  },
  commands: { mcp: async (features) => (await import('./command.ts')).mcpCommand(features) },
  guides: [{ path: '/docs/mcp', file: 'mcp.md', name: 'Language models' }],
};
