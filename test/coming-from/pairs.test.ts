import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { ask as askAiSdk } from './ai-sdk/before.ts';
import { ask } from './kernel/ask.ts';
import { ask as askLangChain } from './langchain/before.ts';
import { serve } from './mcp-sdk/after.ts';
import { createServer } from './mcp-sdk/before.ts';
import { aiSdkModel, kernelProvider, langChainModel, openAiAgentsModel } from './models.ts';
import { ask as askOpenAiAgents } from './openai-agents/before.ts';

const PROMPT = 'How warm is it in Lisbon?';

test.each([
  ['the AI SDK', () => askAiSdk(aiSdkModel(), PROMPT)],
  ['the OpenAI Agents SDK', () => askOpenAiAgents(openAiAgentsModel(), PROMPT)],
  ['LangChain', () => askLangChain(langChainModel(), PROMPT)],
])('the program of %s and the same here call the tool and give the same answer', async (_name, before) => {
  verifies('docs.comingFrom');
  const answers = [await before(), await ask(kernelProvider(), PROMPT)];
  expect(answers).toEqual(['It is 21 °C in Lisbon.', 'It is 21 °C in Lisbon.']);
});

/** What a client of the MCP SDK gets of a server. */
async function useOver(transport: Transport): Promise<{ readonly tool: object; readonly result: object }> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { content, structuredContent } = await client.callTool({ name: 'weather', arguments: { city: 'Lisbon' } });
  const [{ name, description, inputSchema, annotations } = { name: 'none' }] = tools;
  const { properties, required } = inputSchema as { properties?: unknown; required?: unknown };
  return {
    tool: { name, description, properties, required, readOnly: annotations?.readOnlyHint },
    result: { content, structuredContent },
  };
}

test('a client of the MCP SDK sees the same tool and gets the same result from its server and from ours', async () => {
  verifies('docs.comingFrom');
  const [near, far] = InMemoryTransport.createLinkedPair();
  const theirs = createServer();
  await theirs.connect(far);
  const before = await useOver(near);
  const server = await serve('a-token');
  onTestFinished(() => server.close());
  const requestInit = { headers: { authorization: 'Bearer a-token' } };
  const after = await useOver(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
  expect(after).toEqual(before);
  expect(before.result).toMatchObject({ structuredContent: { city: 'Lisbon', celsius: 21 } });
});
