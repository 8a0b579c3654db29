import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';

/** Connect it: `await createServer().connect(new StdioServerTransport())`. */
export function createServer(): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.registerTool(
    'weather',
    {
      description: 'Tells the weather in a city.',
      inputSchema: { city: z.string() },
      outputSchema: { city: z.string(), celsius: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ city }) => {
      const structuredContent = { city, celsius: 21 };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  return server;
}
