// A web search that the vendor runs, its sources, and a tool of our own beside it. A server on loopback stands in for the vendor.
import assert from 'node:assert/strict';
import { run } from '@kernel/agent';
import { anthropicProvider, webSearch } from '@kernel/providers/anthropic';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';
import { startSearchServer } from './servers/search-server.ts';

const save = defineTool({
  name: 'save_note',
  description: 'Saves a note.',
  effect: 'write',
  input: z.object({ text: z.string() }),
  handler: ({ text }) => `Saved ${text.length} characters.`,
});

const server = await startSearchServer();
const provider = anthropicProvider({
  token: 'any-key',
  baseUrl: server.baseUrl,
  serverTools: [webSearch({ maxUses: 3 })],
});
const messages = [{ role: 'user', content: 'Who won the race in Monza?' }] as const;

const seen: string[] = [];
for await (const event of run({ provider, model: 'claude-opus-4-5', messages, tools: createRegistry([save]) })) {
  if (event.type === 'server-tool-call') seen.push(`${event.name} ${event.arguments}`);
  else if (event.type === 'server-tool-result') seen.push(`found ${event.sources?.length ?? 0} pages`);
  else if (event.type === 'citation') seen.push(`source: ${event.citation.url ?? ''}`);
  else if (event.type === 'run-end') console.log(event.reason === 'done' ? event.answer : event.reason);
}
console.log(seen.join('\n'));
assert.deepEqual(seen, [
  'web_search {"query":"Monza race winner"}',
  'found 1 pages',
  'source: https://news.test/monza',
]);
await server.close();
