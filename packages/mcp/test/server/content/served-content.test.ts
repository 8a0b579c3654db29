import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { type ServedContent, serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { connected } from '../../client/programs.ts';
import { changeable, createClient, modern } from '../support.ts';

/** Files in memory; each read is noted. */
function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>) {
  const reads: string[] = [];
  return {
    reads,
    async *list() {
      yield* Object.keys(files);
    },
    async read(path: string, { maxBytes }: { readonly maxBytes: number }) {
      reads.push(path);
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) throw new Error(`There is no "${path}".`);
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      if (bytes.length > maxBytes) throw new Error(`"${path}" has ${bytes.length} bytes.`);
      return bytes;
    },
  };
}

/** A folder of skills in memory. */
function memorySkills(files: Record<string, string>) {
  return {
    async list(folder: string) {
      const start = folder === '' ? '' : `${folder}/`;
      const below = Object.keys(files).filter((path) => path.startsWith(start));
      const names = new Map(
        below.map((path) => {
          const [name = '', ...deeper] = path.slice(start.length).split('/');
          return [name, deeper.length > 0 ? ('directory' as const) : ('file' as const)];
        }),
      );
      return Array.from(names, ([name, kind]) => ({ name, kind }));
    },
    read: async (path: string) => new TextEncoder().encode(files[path]),
  };
}

async function serve(content: ServedContent, options: ServeHttpOptions = {}) {
  const server = await serveHttp(changeable('tool'), { content, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function sdkClient(url: string, options = modern) {
  const client = createClient(options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const read = async (url: string, uri: string) => (await (await sdkClient(url)).readResource({ uri })).contents[0];

test('files are resources with an address of their own: listed, completed and read as text or bytes, by old and new clients', async () => {
  verifies('mcp.server.content');
  const files = memoryFiles({ 'src/a b.ts': 'let a;', 'logo.png': Uint8Array.of(137, 80, 0), 'no-extension': 'ü' });
  const { url } = await serve({ files });
  const toolset = await connected({ s: { url } });
  expect(await toolset.listResources()).toMatchObject([
    { uri: 'workspace:///src/a%20b.ts', name: 'src/a b.ts', mimeType: 'text/x-typescript' },
    { uri: 'workspace:///logo.png', mimeType: 'image/png' },
    { uri: 'workspace:///no-extension' },
  ]);
  const [template] = await toolset.listResourceTemplates();
  expect(template?.uriTemplate).toBe('workspace:///{+path}');
  const completion = { server: 's', uriTemplate: 'workspace:///{+path}', argument: 'path', value: 'src' };
  expect(await toolset.complete(completion)).toEqual(['src/a b.ts']);
  expect(await read(url, 'workspace:///src/a%20b.ts')).toMatchObject({ text: 'let a;' });
  expect(await read(url, 'workspace:///logo.png')).toMatchObject({ mimeType: 'image/png', blob: 'iVAA' });
  const old = await sdkClient(url, {});
  expect((await old.listResources()).resources).toHaveLength(3);
  expect(await old.readResource({ uri: 'workspace:///no-extension' })).toMatchObject({ contents: [{ text: 'ü' }] });
});

test('an address that no file has reaches no file, and what may not be read says why', async () => {
  verifies('mcp.server.content');
  const files = memoryFiles({ 'a.txt': 'a', 'heavy.txt': 'x'.repeat(5 * 1024 * 1024 + 1) });
  const { url } = await serve({ files });
  const odd = ['..%2f..%2fetc/passwd', '%2e%2e/secret', 'a.txt?x', 'a%00b', 'a%5cb', '/a.txt', '%zz', ''];
  for (const path of odd) await expect(read(url, `workspace:///${path}`)).rejects.toMatchObject({ code: -32_602 });
  await expect(read(url, 'file:///etc/passwd')).rejects.toMatchObject({ code: -32_602 });
  expect(files.reads.filter((path) => path.includes('..') || path.includes('\0'))).toEqual([]);
  await expect(read(url, 'workspace:///heavy.txt')).rejects.toThrow('has 5242881 bytes');
  await expect(read(url, 'workspace:///none')).rejects.toThrow('There is no "none"');
});

test('of files without end ten thousand are listed, and a path that none begins with is not looked for without end', async () => {
  verifies('mcp.server.content');
  async function* endless() {
    for (let at = 0; ; at += 1) yield `f${at}.txt`;
  }
  const { url } = await serve({ files: { list: endless, read: async () => Uint8Array.of() } });
  const client = await sdkClient(url);
  expect((await client.listResources()).resources).toHaveLength(10_000);
  const ref = { type: 'ref/resource', uri: 'workspace:///{+path}' } as const;
  const complete = async (value: string) =>
    (await client.complete({ ref, argument: { name: 'path', value } })).completion.values;
  expect(await complete('f99')).toHaveLength(100);
  expect(await complete('none begins so')).toEqual([]);
});

test('skills are listed with their head and digests, and the SDK reads and verifies them', async () => {
  verifies('mcp.server.skills');
  const files = {
    'git-flow/SKILL.md': '---\nname: git-flow\ndescription: Branches.\nmetadata:\n  version: "2.1"\n---\n# Do\n',
    'git-flow/references/GUIDE.md': 'guide',
    'broken/SKILL.md': 'no head',
  };
  const problems: string[] = [];
  const { url } = await serve({ skills: memorySkills(files) }, { onError: ({ message }) => problems.push(message) });
  const client = await sdkClient(url);
  const skills = new SkillsClient(client);
  const { skills: entries } = await skills.list();
  expect(entries).toMatchObject([
    { uri: 'skill://git-flow/SKILL.md', frontmatter: { name: 'git-flow', metadata: { version: '2.1' } } },
  ]);
  const [entry] = entries;
  if (entry === undefined) throw new Error('there is no skill');
  expect(await skills.read(entry)).toMatchObject({ verified: true, body: expect.stringContaining('# Do') });
  expect(await skills.read(entry, 'references/GUIDE.md')).toMatchObject({ verified: true, text: 'guide' });
  const { resources } = await skills.readDirectory('skill://git-flow');
  expect(resources.map(({ name }) => name)).toEqual(['SKILL.md', 'references']);
  expect((await client.listResources()).resources).toMatchObject([{ uri: 'skill://git-flow/SKILL.md' }]);
  await expect(skills.get('skill://none/SKILL.md')).rejects.toMatchObject({ code: -32_602 });
  expect(problems).toEqual([expect.stringContaining('broken')]);
});

test('a skill that has changed since the server started cannot be read any more', async () => {
  verifies('mcp.server.skills');
  const files = { 'a/SKILL.md': '---\nname: a\ndescription: A.\n---\nread' };
  const { url } = await serve({ skills: memorySkills(files) });
  files['a/SKILL.md'] = files['a/SKILL.md'].replace('read', 'delete');
  await expect(read(url, 'skill://a/SKILL.md')).rejects.toThrow('changed');
});

test('prompts are listed with what they ask for, and become a text or messages', async () => {
  verifies('mcp.server.prompts');
  const messages: readonly Message[] = [
    { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] },
  ];
  const prompts = [
    {
      name: 'review',
      description: 'Reviews.',
      arguments: [{ name: 'file', description: 'Which one.', required: true }, { name: 'how' }],
      messages: ({ file, how = 'well' }: Readonly<Record<string, string>>) => `Review ${file} ${how}.`,
    },
    { name: 'look', messages: () => messages },
    { name: 'fails', messages: () => Promise.reject(new Error('the template is broken')) },
  ];
  const { url } = await serve({ prompts });
  const toolset = await connected({ s: { url } });
  expect(await toolset.listPrompts()).toMatchObject([
    { name: 'review', arguments: [{ name: 'file', description: 'Which one.', required: true }, { required: false }] },
    { name: 'look', arguments: [] },
    { name: 'fails' },
  ]);
  const get = (name: string, input?: Record<string, string>) => toolset.getPrompt({ server: 's', name }, input);
  expect(await get('review', { file: 'a.ts', other: 'x' })).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Review a.ts well.' }] },
  ]);
  expect(await get('look')).toMatchObject([{ content: [{ type: 'image' }] }, { role: 'assistant' }]);
  await expect(get('review')).rejects.toThrow('"file" is missing');
  await expect(get('review', { file: 'x'.repeat(100_001) })).rejects.toThrow('more than 100000 characters');
  await expect(get('fails')).rejects.toThrow('the template is broken');
});

test('content joins what a server of the user has, and what cannot be served is refused at the start', async () => {
  verifies('mcp.server.content');
  const createServer = () => {
    const made = new McpServer({ name: 'mine', version: '1' });
    made.registerPrompt('own', {}, () => ({ messages: [] }));
    return made;
  };
  const prompts = [{ name: 'added', messages: () => 'text' }];
  const { url } = await serve({ prompts }, { createServer });
  expect((await (await sdkClient(url)).listPrompts()).prompts.map(({ name }) => name)).toEqual(['own', 'added']);
  const refused = (content: unknown, options: ServeHttpOptions = {}) =>
    expect(serve(content as ServedContent, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await refused({ prompts: [...prompts, ...prompts] });
  await refused({ prompts: [{ name: 'x' }] });
  await refused({ files: () => {} });
  await refused({ resources: [] });
  await refused({ prompts }, { createServer: () => new Server({ name: 'low', version: '1' }, {}) });
});
