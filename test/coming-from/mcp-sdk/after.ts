import { type HttpServer, serveHttp } from '@kernel/mcp';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  output: z.object({ city: z.string(), celsius: z.number() }),
  handler: ({ city }) => ({ city, celsius: 21 }),
});

/** Or over standard input and output: `serveStdio(createRegistry([weather]))`. */
export function serve(token: string): Promise<HttpServer> {
  return serveHttp(createRegistry([weather]), { name: 'weather', version: '1.0.0', token });
}
