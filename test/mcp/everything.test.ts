import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ConnectMcpOptions, McpToolset } from '@kernel/mcp';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { call, connected, program, started } from './lib/real-server.ts';

/** What the everything server must do over any transport. */
async function expectEverything(toolset: McpToolset): Promise<void> {
  expect(toolset.list().length).toBeGreaterThan(10);
  expect((await call(toolset, 'mcp__everything__echo', { message: 'hello' })).forLLM).toBe('Echo: hello');
  expect((await call(toolset, 'mcp__everything__get-sum', { a: 2, b: 3 })).forLLM).toContain('5');
  const image = await call(toolset, 'mcp__everything__get-tiny-image', {});
  expect(image.media).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
  const weather = await call(toolset, 'mcp__everything__get-structured-content', { location: 'New York' });
  expect(weather.data).toMatchObject({ temperature: expect.any(Number) });
  const links = await call(toolset, 'mcp__everything__get-resource-links', { count: 2 });
  expect(links.forLLM).toContain('demo://resource/');
  const updates: string[] = [];
  await call(toolset, 'mcp__everything__trigger-long-running-operation', { duration: 0.4, steps: 4 }, (update) =>
    updates.push(update),
  );
  expect(updates).toHaveLength(4);
  expect(await call(toolset, 'mcp__everything__get-sum', { a: 'two' })).toMatchObject({ isError: true });
  await expectContents(toolset);
  await expectQuestions(toolset);
}

/** Its resources, prompts and completion. */
async function expectContents(toolset: McpToolset): Promise<void> {
  const server = 'everything';
  const resources = await toolset.listResources();
  expect(resources.length).toBeGreaterThan(3);
  const [page] = await toolset.readResource({ server, uri: resources[0]?.uri ?? '' });
  expect(page).toMatchObject({ type: 'text', text: expect.stringMatching(/^# /) });
  const templates = await toolset.listResourceTemplates();
  expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/blob/{resourceId}');
  expect(await toolset.readResource({ server, uri: 'demo://resource/dynamic/blob/7' })).toMatchObject([
    { type: 'file', data: expect.stringMatching(/^[\w+/]+=*$/) },
  ]);
  await expect(toolset.readResource({ server, uri: 'demo://resource/none' })).rejects.toMatchObject({
    code: 'TOOL_FAILED',
  });
  const prompts = await toolset.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['args-prompt', 'completable-prompt']));
  const [message] = await toolset.getPrompt({ server, name: 'args-prompt' }, { city: 'Paris' });
  expect(message).toMatchObject({ role: 'user', content: [{ type: 'text', text: expect.stringContaining('Paris') }] });
  const completion = { server, prompt: 'completable-prompt', argument: 'department', value: 'Eng' };
  expect(await toolset.complete(completion)).toEqual(['Engineering']);
}

/** What it asks in the middle of a call: the user, by a form and a page, the model, and for folders. */
async function expectQuestions(toolset: McpToolset): Promise<void> {
  const form = await call(toolset, 'mcp__everything__trigger-elicitation-request', {});
  expect(form.forLLM).toMatch(/Name: Ada[\s\S]*"firstLine": "It was a dark and stormy night\."/);
  const url = 'https://example.com/agree';
  const page = await call(toolset, 'mcp__everything__trigger-url-elicitation', { url });
  expect(page.forLLM).toContain('User completed the URL elicitation flow');
  const required = await call(toolset, 'mcp__everything__trigger-url-elicitation', { url, errorPath: true });
  expect(required.forLLM).toContain('User completed the URL elicitation flow');
  const reply = await call(toolset, 'mcp__everything__trigger-sampling-request', { prompt: 'Hi?', maxTokens: 20 });
  expect(reply.forLLM).toContain('The model says hi.');
  expect((await call(toolset, 'mcp__everything__get-roots-list', {})).forLLM).toContain('file:///home/ada');
}

const PAGES = new Set(['https://example.com/agree', 'https://modelcontextprotocol.io']);

/** What a person and a model answer. */
function answers(): ConnectMcpOptions {
  return {
    elicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }),
    // The second one is what it wants visited before a call.
    elicitUrl: ({ url }) => Promise.resolve(PAGES.has(url) ? 'accept' : 'decline'),
    roots: [{ uri: 'file:///home/ada' }],
    sampling: {
      provider: scriptedProvider([{ text: 'The model says hi.' }]),
      model: 'any',
      approve: ({ messages }) => JSON.stringify(messages).includes('Hi?'),
    },
  };
}

test('the everything server is used over stdio', async () => {
  verifies('mcp.client.toolset', 'mcp.client.contents', 'mcp.client.sampling');
  await expectEverything(await connected({ everything: started('everything') }, answers()));
});

test('the everything server is used over streamable HTTP', async () => {
  verifies('mcp.client.toolset', 'mcp.client.contents', 'mcp.client.sampling');
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  probe.close();
  const child = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve();
    });
  });
  await expectEverything(await connected({ everything: { url: `http://127.0.0.1:${port}/mcp` } }, answers()));
});
