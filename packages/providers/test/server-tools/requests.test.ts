import type { Tool } from '@kernel/protocol';
import { verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as claude from '../../src/anthropic/index.ts';
import * as google from '../../src/gemini/index.ts';
import { createProviders } from '../../src/index.ts';
import * as openai from '../../src/responses/index.ts';
import { sentOver } from '../sent.ts';
import { endOf, errorOf, request } from '../support.ts';
import { startWire } from '../wires.ts';

const own: Tool = Object.freeze({ name: 'save', description: 'Saves', parameters: { type: 'object' } });

async function toolsSent(wire: WireName, serverTools: unknown, tools: readonly Tool[] = [own]): Promise<unknown> {
  const { body } = await sentOver(wire, { tools, cache: 'off' }, { serverTools });
  return wire === 'bedrock' ? (body['toolConfig'] as { tools: unknown }).tools : body['tools'];
}

describe('a server tool', () => {
  test.each([
    [
      claude.webSearch({ maxUses: 3, allowedDomains: ['a.test'], userLocation: { country: 'NO' } }),
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['a.test'],
        user_location: { type: 'approximate', country: 'NO' },
      },
    ],
    [
      claude.webFetch({ citations: true, maxContentTokens: 100 }),
      { type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: true }, max_content_tokens: 100 },
    ],
    [claude.codeExecution(), { type: 'code_execution_20250825', name: 'code_execution' }],
    [
      claude.mcpServer({ name: 'docs', url: 'https://a.test/mcp', allowedTools: ['search'] }),
      {
        type: 'mcp_toolset',
        mcp_server_name: 'docs',
        default_config: { enabled: false },
        configs: { search: { enabled: true } },
      },
    ],
    [
      { type: 'computer_20251124', name: 'computer', display_width_px: 1 },
      { type: 'computer_20251124', name: 'computer', display_width_px: 1 },
    ],
  ])('of Anthropic is sent after the tools of the request: %#', async (serverTool, definition) => {
    verifies('providers.serverTools.request');
    expect(await toolsSent('anthropic', [serverTool])).toEqual([expect.objectContaining({ name: 'save' }), definition]);
  });

  test.each([
    [
      openai.webSearch({ contextSize: 'low', allowedDomains: ['a.test'], userLocation: { country: 'NO' } }),
      {
        type: 'web_search',
        search_context_size: 'low',
        filters: { allowed_domains: ['a.test'] },
        user_location: { type: 'approximate', country: 'NO' },
      },
    ],
    [
      openai.fileSearch({ vectorStoreIds: ['vs'], maxResults: 2 }),
      { type: 'file_search', vector_store_ids: ['vs'], max_num_results: 2 },
    ],
    [openai.codeInterpreter(), { type: 'code_interpreter', container: { type: 'auto' } }],
    [openai.imageGeneration({ format: 'webp' }), { type: 'image_generation', output_format: 'webp' }],
    [
      openai.mcpServer({ name: 'docs', url: 'https://a.test/mcp', approval: 'never' }),
      { type: 'mcp', server_label: 'docs', server_url: 'https://a.test/mcp', require_approval: 'never' },
    ],
    [openai.shell({ container: 'auto' }), { type: 'shell', environment: { type: 'container_auto' } }],
    [openai.applyPatch(), { type: 'apply_patch' }],
  ])('of Responses is sent after the tools of the request: %#', async (serverTool, definition) => {
    verifies('providers.serverTools.request');
    expect(await toolsSent('openai-responses', [serverTool])).toEqual([
      expect.objectContaining({ name: 'save' }),
      definition,
    ]);
  });

  test.each([
    [google.googleSearch(), { googleSearch: {} }],
    [google.urlContext(), { urlContext: {} }],
    [google.codeExecution(), { codeExecution: {} }],
    [google.googleMaps({ near: { latitude: 1, longitude: 2 } }), { googleMaps: {} }],
  ])('of Gemini is sent beside the declarations: %#', async (serverTool, definition) => {
    verifies('providers.serverTools.request');
    expect(await toolsSent('gemini', [serverTool])).toEqual([
      { functionDeclarations: [expect.objectContaining({ name: 'save' })] },
      definition,
    ]);
  });

  test('of Bedrock is sent among the tools', async () => {
    verifies('providers.serverTools.request');
    const grounding = { systemTool: { name: 'nova_grounding' } };
    expect(await toolsSent('bedrock', [grounding])).toEqual([{ toolSpec: expect.anything() }, grounding]);
  });

  test('is sent in a request without tools too', async () => {
    verifies('providers.serverTools.request');
    expect(await toolsSent('anthropic', [claude.codeExecution()], [])).toHaveLength(1);
    expect(await toolsSent('openai-responses', [openai.applyPatch()], [])).toHaveLength(1);
    expect(await toolsSent('gemini', [google.urlContext()], [])).toEqual([{ urlContext: {} }]);
  });

  test('brings the fields that it needs, joined with those of others', async () => {
    verifies('providers.serverTools.request');
    const servers = ['a', 'b'].map((name) => claude.mcpServer({ name, url: `https://${name}.test` }));
    const { body } = await sentOver('anthropic', {}, { serverTools: servers });
    expect(body['mcp_servers']).toEqual([
      { type: 'url', name: 'a', url: 'https://a.test' },
      { type: 'url', name: 'b', url: 'https://b.test' },
    ]);
    const searches = [openai.webSearch(), openai.fileSearch({ vectorStoreIds: ['vs'] })];
    const sent = await sentOver('openai-responses', {}, { serverTools: searches });
    expect(sent.body['include']).toEqual(['web_search_call.action.sources', 'file_search_call.results']);
    const maps = google.googleMaps({ near: { latitude: 1, longitude: 2 } });
    const { body: gemini } = await sentOver(
      'gemini',
      { tools: [own], toolChoice: 'required' },
      { serverTools: [maps] },
    );
    expect(gemini['toolConfig']).toEqual({
      retrievalConfig: { latLng: { latitude: 1, longitude: 2 } },
      functionCallingConfig: { mode: 'ANY' },
    });
  });

  test('names the beta features that it needs beside those of the config', async () => {
    verifies('providers.serverTools.request');
    const { server, provider } = await startWire(
      'anthropic',
      { replies: [{ text: 'ok' }] },
      {
        serverTools: [claude.codeExecution(), claude.webFetch()],
        headers: { 'Anthropic-Beta': 'files-api-2025-04-14' },
      },
    );
    await endOf(provider.stream(request()));
    expect(server.requests[0]?.headers['anthropic-beta']).toBe(
      'code-execution-2025-08-25,web-fetch-2025-09-10,files-api-2025-04-14',
    );
    await server.close();
  });

  test('that runs here takes the place of the tool with its name', async () => {
    verifies('providers.serverTools.here');
    const claudeTools = [claude.BASH_TOOL, claude.TEXT_EDITOR_TOOL, claude.MEMORY_TOOL, own];
    expect(await toolsSent('anthropic', [claude.bash(), claude.textEditor(), claude.memory()], claudeTools)).toEqual([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      expect.objectContaining({ name: 'save' }),
    ]);
    const grammar = { syntax: 'lark', definition: 'start: "a"' } as const;
    const sql: Tool = { ...own, name: 'sql' };
    const tools = [openai.SHELL_TOOL, sql];
    expect(
      await toolsSent('openai-responses', [openai.shell(), openai.customTool({ name: 'sql', grammar })], tools),
    ).toEqual([{ type: 'shell' }, { type: 'custom', name: 'sql', format: { type: 'grammar', ...grammar } }]);
  });

  test('that runs here is chosen by its own type', async () => {
    verifies('providers.serverTools.here');
    const serverTools = [openai.shell(), openai.customTool({ name: 'sql' })];
    const tools = [openai.SHELL_TOOL, { ...own, name: 'sql' }, own];
    for (const [name, choice] of [
      ['shell', { type: 'shell' }],
      ['sql', { type: 'custom', name: 'sql' }],
      ['save', { type: 'function', name: 'save' }],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const { body } = await sentOver('openai-responses', { tools, toolChoice: { name } }, { serverTools });
      expect(body['tool_choice']).toEqual(choice);
    }
  });

  test('that searches for tools defers those that it names', async () => {
    verifies('providers.serverTools.deferred');
    const other: Tool = { ...own, name: 'load' };
    const deferred = { deferredTools: (name: string) => name === 'load' };
    expect(
      await toolsSent('anthropic', [claude.toolSearch({ deferredTools: ['load'], by: 'regex' })], [own, other]),
    ).toEqual([
      expect.not.objectContaining({ defer_loading: true }),
      expect.objectContaining({ name: 'load', defer_loading: true }),
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ]);
    expect(await toolsSent('openai-responses', [openai.toolSearch(deferred)], [own, other])).toEqual([
      expect.not.objectContaining({ defer_loading: true }),
      expect.objectContaining({ name: 'load', defer_loading: true }),
      { type: 'tool_search' },
    ]);
  });

  test('keeps its access token out of errors', async () => {
    verifies('providers.serverTools.secrets');
    const secret = 'mcp-access-token-4711';
    for (const [wire, serverTool] of [
      ['anthropic', claude.mcpServer({ name: 'a', url: 'https://a.test', token: secret })],
      ['openai-responses', openai.mcpServer({ name: 'a', url: 'https://a.test', token: `Bearer ${secret}` })],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const { server, provider } = await startWire(
        wire,
        { replies: [{ status: 400, chunks: [`bad ${secret}`] }] },
        {
          serverTools: [serverTool],
        },
      );
      // oxlint-disable-next-line no-await-in-loop
      const error = await errorOf(provider.stream(request()));
      expect(JSON.stringify([error.message, error.data])).not.toContain(secret);
      // oxlint-disable-next-line no-await-in-loop
      await server.close();
    }
  });

  test('keeps the key in its address out of errors and of the text of results', async () => {
    verifies('providers.serverTools.secrets');
    const secret = 'k3y/of+a server';
    const url = `https://a.test/mcp?k=${encodeURIComponent(secret)}&v=2`;
    const shown = `cannot reach ${url} (${secret})`;
    for (const [wire, serverTool, item] of [
      [
        'anthropic',
        claude.mcpServer({ name: 'a', url }),
        { type: 'mcp_tool_result', tool_use_id: 'm', is_error: true, content: [{ type: 'text', text: shown }] },
      ],
      [
        'openai-responses',
        openai.mcpServer({ name: 'a', url }),
        { type: 'mcp_call', id: 'm', name: 'echo', arguments: '{}', error: shown },
      ],
    ] as const) {
      const whole = { status: 'completed', type: 'message', stop_reason: 'end_turn', output: [item], content: [item] };
      const replies = [
        { status: 400, chunks: [shown] },
        { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(whole)] },
      ];
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const { server, provider } = await startWire(wire, { replies }, { serverTools: [serverTool] });
      // oxlint-disable-next-line no-await-in-loop
      const error = await errorOf(provider.stream(request()));
      expect([error.message, JSON.stringify(error.data)]).toEqual([
        expect.stringContaining('?k=[redacted]&v=2 ([redacted])'),
        expect.not.stringContaining('k3y'),
      ]);
      // oxlint-disable-next-line no-await-in-loop
      const { message } = await endOf(provider.stream(request()));
      const result = message.content.find(({ type }) => type === 'server-tool-result');
      expect(result).toMatchObject({ text: 'cannot reach https://a.test/mcp?k=[redacted]&v=2 ([redacted])' });
      // oxlint-disable-next-line no-await-in-loop
      await server.close();
    }
  });

  test('that asks a function of yours what is deferred says which one failed', async () => {
    verifies('providers.serverTools.deferred');
    const failing = openai.toolSearch({
      deferredTools: () => {
        throw new TypeError('no such list');
      },
    });
    const { server, provider } = await startWire(
      'openai-responses',
      { replies: [{ text: 'ok' }] },
      { serverTools: [openai.webSearch(), failing] },
    );
    expect(await errorOf(provider.stream(request({ tools: [own] })))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'openai-responses: serverTools[1].deferredTools failed for the tool "save": no such list',
      cause: expect.any(TypeError),
    });
    expect(server.requests).toHaveLength(0);
    await server.close();
  });

  test.each<[string, unknown, string]>([
    ['a list that is none', 'web_search', 'serverTools is a string'],
    ['a name', ['web_search'], 'serverTools[0] is a string'],
    ['nothing', [{}], 'serverTools[0]'],
  ])('is refused at once where the config has %s', (_what, serverTools, message) => {
    verifies('providers.serverTools.request');
    const create = () => createProviders().create(Object.assign({ name: 'anthropic', token: 'x' }, { serverTools }));
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('a tool of yours with the name of a server tool', () => {
  test.each<[WireName, string, unknown, string]>([
    ['anthropic', 'web_search', claude.webSearch(), '"web_search_20250305" (serverTools[0])'],
    ['anthropic', 'code_execution', claude.codeExecution(), '"code_execution_20250825" (serverTools[0])'],
    ['openai-responses', 'web_search', openai.webSearch(), '"web_search" (serverTools[0])'],
    ['openai-responses', 'web_search', { type: 'web_search_preview_2025_03_11' }, '"web_search_preview_2025_03_11"'],
    ['openai-responses', 'shell', openai.shell({ container: 'auto' }), '"shell" (serverTools[0])'],
    ['gemini', 'google_search', google.googleSearch(), '"googleSearch" (serverTools[0])'],
    ['gemini', 'codeExecution', google.codeExecution(), '"codeExecution" (serverTools[0])'],
    ['bedrock', 'nova_grounding', { systemTool: { name: 'nova_grounding' } }, '"systemTool" (serverTools[0])'],
  ])('is refused over %s before anything is sent: %s', async (wire, name, serverTool, shown) => {
    verifies('providers.serverTools.names');
    const { provider, server } = await startWire(wire, { replies: [{ text: 'ok' }] }, { serverTools: [serverTool] });
    const error = await errorOf(provider.stream(request({ tools: [own, { ...own, name }] })));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(`your tool "${name}"`) });
    expect(error.message).toContain(shown);
    expect(error.hint).toContain('rename your tool');
    expect(server.requests).toHaveLength(0);
    await server.close();
  });

  test('is none where a server brings tools of other names, or the tool runs here', async () => {
    verifies('providers.serverTools.names');
    const docs = openai.mcpServer({ name: 'docs', url: 'https://a.test/mcp' });
    expect(await toolsSent('openai-responses', [docs], [{ ...own, name: 'mcp' }])).toHaveLength(2);
    expect(await toolsSent('openai-responses', [openai.shell()], [openai.SHELL_TOOL])).toHaveLength(1);
    expect(await toolsSent('anthropic', [claude.bash()], [claude.BASH_TOOL])).toHaveLength(1);
  });
});
