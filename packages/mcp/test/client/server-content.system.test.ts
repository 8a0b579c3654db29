import { verifies } from '@kernel/testing';
import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { serveHttp } from '../../src/index.ts';
import { startJsonServer } from '../fixtures/json-server.ts';
import { changeable } from '../server/support.ts';
import { connected, server } from './programs.ts';

function library(): McpServer {
  const made = new McpServer({ name: 'library', version: '1' });
  const contents = (uri: string, more: object) => ({ contents: [{ uri, ...more }] }) as never;
  made.registerResource('page', 'site://page', { title: 'A\u200B page', mimeType: 'text/plain', size: 7 }, ({ href }) =>
    contents(href, { text: 'A page. See https://elsewhere.example/', mimeType: 'text/plain' }),
  );
  made.registerResource('pixel', 'site://pixel', {}, ({ href }) =>
    contents(href, { blob: 'AAAA', mimeType: 'image/png' }),
  );
  made.registerResource('heavy', 'site://heavy', {}, ({ href }) => contents(href, { text: 'x'.repeat(11_000_000) }));
  made.registerResource(
    'user',
    new ResourceTemplate('site://users/{id}', {
      list: undefined,
      complete: { id: (start) => ['7', '77', '8'].filter((id) => id.startsWith(start)) },
    }),
    { description: 'A user.' },
    ({ href }) => contents(href, { text: href }),
  );
  made.registerPrompt(
    'review',
    { description: 'Reviews.', argsSchema: z.object({ file: completable(z.string(), (start) => [`${start}.ts`]) }) },
    ({ file }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review ${file}.` } },
        { role: 'assistant', content: { type: 'resource_link', uri: 'site://page', name: 'page' } },
      ],
    }),
  );
  return made;
}

async function openLibrary() {
  const served = await serveHttp(changeable('tool'), { createServer: library });
  onTestFinished(() => served.close());
  return connected({ lib: { url: served.url }, plain: server('ok') });
}

test('resources and templates of all servers are listed with their server, and read as texts and media; links are not followed', async () => {
  verifies('mcp.client.contents');
  const toolset = await openLibrary();
  const resources = await toolset.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['site://page', 'site://pixel', 'site://heavy']);
  expect(resources[0]).toEqual({
    server: 'lib',
    uri: 'site://page',
    name: String.raw`A\u200b page`,
    mimeType: 'text/plain',
    size: 7,
  });
  expect(await toolset.listResourceTemplates({ server: 'lib' })).toMatchObject([
    { server: 'lib', uriTemplate: 'site://users/{id}', description: 'A user.' },
  ]);
  const read = (uri: string) => toolset.readResource({ server: 'lib', uri });
  expect(await read('site://page')).toEqual([{ type: 'text', text: 'A page. See https://elsewhere.example/' }]);
  expect(await read('site://pixel')).toMatchObject([{ type: 'image', mimeType: 'image/png', data: 'AAAA' }]);
  expect(await read('site://users/7')).toEqual([{ type: 'text', text: 'site://users/7' }]);
});

test('prompts are listed with their arguments, completed, and given as messages', async () => {
  verifies('mcp.client.contents');
  const toolset = await openLibrary();
  expect(await toolset.listPrompts()).toEqual([
    { server: 'lib', name: 'review', description: 'Reviews.', arguments: [{ name: 'file', required: true }] },
  ]);
  expect(await toolset.getPrompt({ server: 'lib', name: 'review' }, { file: 'a.ts' })).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Review a.ts.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'page: site://page' }] },
  ]);
  const complete = (completion: object) =>
    toolset.complete({ server: 'lib', value: '7', argument: 'id', ...completion });
  expect(await complete({ uriTemplate: 'site://users/{id}' })).toEqual(['7', '77']);
  expect(await complete({ prompt: 'review', argument: 'file', value: 'a' })).toEqual(['a.ts']);
  expect(await complete({ server: 'plain', prompt: 'any' })).toEqual([]);
});

test('a server is described as it describes itself, with the version of the protocol that is spoken', async () => {
  verifies('mcp.client.contents');
  const toolset = await openLibrary();
  expect(await toolset.serverInfo('lib')).toEqual({
    server: 'lib',
    protocolVersion: '2026-07-28',
    name: 'library',
    version: '1',
    hasResources: true,
    hasPrompts: true,
  });
  const [tool] = toolset.list();
  expect(toolset.origin(tool?.name ?? '')?.server).toBe(tool?.name.split('__')[1]);
  expect(toolset.origin('mcp__lib__nothing')).toBeUndefined();
  expect((await toolset.serverInfo('plain')).protocolVersion).toMatch(/^20\d\d-/);
});

test('what is too large, missing or of an unknown server is an error that names the server', async () => {
  verifies('mcp.client.contents');
  const toolset = await openLibrary();
  const read = (of: string, uri: string) => toolset.readResource({ server: of, uri });
  await expect(read('lib', 'site://heavy')).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringContaining('"lib" sent 11000000 characters'),
  });
  await expect(read('lib', 'site://none')).rejects.toMatchObject({ code: 'TOOL_FAILED', data: { server: 'lib' } });
  await expect(read('other', 'site://page')).rejects.toMatchObject({
    code: 'TOOL_NOT_FOUND',
    hint: 'Connected: lib, plain.',
  });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(toolset.readResource({ server: 'lib', uri: 'site://page' }, { signal })).rejects.toThrow('enough');
});

test('a list of resources that does not end is cut, and entries that are none are left out', async () => {
  verifies('mcp.client.contents');
  let page = 0;
  const { url } = await startJsonServer(
    {
      'resources/list': () => {
        const resources = Array.from({ length: 4000 }, (_, at) => ({ uri: `a://${page}-${at}`, name: 'x' }));
        return { resources: [null, { uri: 7 }, ...resources], nextCursor: String((page += 1)) };
      },
    },
    { resources: {} },
  );
  const toolset = await connected({ a: { url } });
  expect((await toolset.listResources()).length).toBeGreaterThan(9000);
  expect(page).toBe(3);
});

test('a server with resources need not know of templates; any other failure to list them is told', async () => {
  verifies('mcp.client.contents');
  const failure = { code: -32_601 };
  const { url } = await startJsonServer(
    {
      'resources/list': () => ({ resources: [{ uri: 'a://b', name: 'b' }] }),
      'resources/templates/list': () => Promise.reject(Object.assign(new Error('Method not found'), failure)),
    },
    { resources: {} },
  );
  const toolset = await connected({ a: { url } });
  expect(await toolset.listResourceTemplates()).toEqual([]);
  failure.code = -32_603;
  await expect(toolset.listResourceTemplates()).rejects.toThrow('MCP server "a" failed');
});
