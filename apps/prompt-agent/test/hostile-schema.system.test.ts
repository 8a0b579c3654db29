import { collect, run } from '@kernel/agent';
import { connectMcp, serveHttp } from '@kernel/mcp';
import { createProviders, type CustomProviderConfig } from '@kernel/providers';
import { mockTool, mockToolset, startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';

/** Thirty definitions, each of which refers to the next one twice: 2^30 schemas when the references are inlined. */
const $defs = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => {
    const $ref = `#/$defs/d${at + 1}`;
    return [`d${at}`, at === 29 ? { type: 'string' } : { type: 'object', properties: { a: { $ref }, b: { $ref } } }];
  }),
);
const parameters = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };

test.each([
  ['gemini', 'gemini'],
  ['ollama', 'ollama'],
  ['mistral', 'openai'],
] as const)(
  '%s: a tool of an MCP server whose references double is refused by name, and nothing is sent',
  async (name, wire) => {
    verifies('providers.dialect.budget');
    const hostile = await serveHttp(mockToolset([mockTool('bomb', 'ok', { parameters })]));
    onTestFinished(() => hostile.close());
    const tools = await connectMcp({ mcpServers: { hostile: { type: 'http', url: hostile.url } } });
    onTestFinished(() => tools.close());
    expect(tools.list().map((tool) => tool.name)).toEqual(['mcp__hostile__bomb']);
    const server = await startWireServer({ wire, replies: [] });
    onTestFinished(() => server.close());
    const config: CustomProviderConfig = { name, baseUrl: server.baseUrl, token: 't' };
    const provider = createProviders().create(config);
    const result = await collect(run({ provider, model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools }));
    expect(result).toMatchObject({
      reason: 'error',
      error: { code: 'TOOL_SCHEMA_INVALID', data: { tool: 'mcp__hostile__bomb' } },
    });
    expect(server.requests).toEqual([]);
  },
);
