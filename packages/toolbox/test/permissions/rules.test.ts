import assert from 'node:assert/strict';
import { callTool, type Tool, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import { KNOWN_TOOLS } from '../../src/permissions/known-tools.ts';
import { type PermissionRule, permissions, withPermissions } from '../../src/permissions/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';

const signal = new AbortController().signal;
const tool = (name: string): Tool => ({ name, description: '', parameters: { type: 'object' } });
const request = (name: string, input: object) => ({
  call: { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) } as const,
  tool: tool(name),
  signal,
});

/** A rule, a tool, its arguments, and what is said. */
const TABLE: readonly (readonly [
  PermissionRule | readonly PermissionRule[],
  string,
  object,
  'allow' | 'ask' | 'deny',
])[] = [
  [{ allow: 'read_file' }, 'read_file', { path: 'a' }, 'allow'],
  [{ allow: 'read_file' }, 'read_files', { path: 'a' }, 'ask'],
  [{ allow: 'read_file(*)' }, 'read_file', { path: '/etc/passwd' }, 'allow'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: 'src/a/b.ts' }, 'allow'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: './src/x/../a.ts' }, 'allow'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: '/srv/src/a.ts' }, 'allow'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: '/other/src/a.ts' }, 'ask'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: 'src/../secret' }, 'ask'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: 'SRC/a.ts' }, 'ask'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: 'src/\0a' }, 'ask'],
  [{ allow: 'write_file(src/**)' }, 'write_file', {}, 'ask'],
  [{ allow: 'write_file(src/**)' }, 'write_file', { path: ['src/a'] }, 'ask'],
  [{ allow: 'write_file(src/*.ts|test/**)' }, 'write_file', { path: 'test/a/b' }, 'allow'],
  [{ allow: 'write_file(src/*.ts)' }, 'write_file', { path: 'src/a/b.ts' }, 'ask'],
  [{ allow: 'write_file|edit_file(src/**)' }, 'edit_file', { path: 'src/a' }, 'allow'],
  [{ allow: '*_file(src/**)' }, 'edit_file', { path: 'src/a' }, 'allow'],
  [{ allow: 'move(src/**)' }, 'move', { from: 'src/a', to: 'src/b' }, 'allow'],
  [{ allow: 'move(src/**)' }, 'move', { from: 'src/a', to: 'b' }, 'ask'],
  [
    { allow: 'apply_patch(src/**)' },
    'apply_patch',
    { patch: '*** Begin Patch\n*** Delete File: src/a\n*** End Patch' },
    'allow',
  ],
  [
    { allow: 'apply_patch(src/**)' },
    'apply_patch',
    { patch: '*** Begin Patch\n*** Update File: src/a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch' },
    'ask',
  ],
  [
    { allow: 'apply_patch(src/**)' },
    'apply_patch',
    { patch: '*** Begin Patch\n*** Delete File: src/a\r\n*** Delete File:  b \n*** End Patch' },
    'ask',
  ],
  [{ allow: 'apply_patch(src/**)' }, 'apply_patch', { patch: 'no patch' }, 'ask'],
  [{ allow: 'list_directory(src/**)' }, 'list_directory', {}, 'ask'],
  [
    { allow: 'fetch_url(https://docs.example.com/**)' },
    'fetch_url',
    { url: 'https://docs.example.com/a/b?c#d' },
    'allow',
  ],
  [{ allow: 'fetch_url(https://docs.example.com)' }, 'fetch_url', { url: 'https://docs.example.com/a/b' }, 'allow'],
  [
    { allow: 'fetch_url(https://docs.example.com/api/*)' },
    'fetch_url',
    { url: 'https://docs.example.com/api/../x' },
    'ask',
  ],
  [{ allow: 'fetch_url(https://docs.example.com/**)' }, 'fetch_url', { url: 'http://docs.example.com/' }, 'ask'],
  [{ allow: 'fetch_url(https://docs.example.com/**)' }, 'fetch_url', { url: 'https://docs.example.com:8443/' }, 'ask'],
  [
    { allow: 'fetch_url(https://docs.example.com/**)' },
    'fetch_url',
    { url: 'https://docs.example.com.evil.test/' },
    'ask',
  ],
  [
    { allow: 'fetch_url(https://docs.example.com/**)' },
    'fetch_url',
    { url: 'https://docs.example.com@evil.test/' },
    'ask',
  ],
  [{ allow: 'fetch_url(https://docs.example.com/**)' }, 'fetch_url', { url: 'https://u:p@docs.example.com/' }, 'ask'],
  [
    { allow: 'fetch_url(https://docs.example.com/**)' },
    'fetch_url',
    { url: 'https://evil.test/docs.example.com/' },
    'ask',
  ],
  [{ allow: 'fetch_url(https://*.example.com/**)' }, 'fetch_url', { url: 'https://a.example.com/' }, 'allow'],
  [{ allow: 'fetch_url(https://*.example.com/**)' }, 'fetch_url', { url: 'https://evil.test/.example.com/' }, 'ask'],
  [{ allow: 'fetch_url(https://*.example.com/**)' }, 'fetch_url', { url: 'HTTPS://A.EXAMPLE.COM/' }, 'allow'],
  [{ deny: '*(https://*.example.com/**)' }, 'fetch_url', { url: 'https://u@a.example.com/' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: '.env' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: 'a/b/.ENV' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: 'a\\.env' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: '/srv/a/.env' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: '.ｅnv' }, 'deny'],
  [{ deny: '*(**/.env)' }, 'mcp_read', { deep: [{ any: 'x/.env' }] }, 'deny'],
  [{ deny: '*(**/.env)' }, 'read_file', { path: '.env.example' }, 'ask'],
  [{ deny: 'delete' }, 'delete', { path: 'a' }, 'deny'],
  [[{ allow: '*' }, { deny: 'delete' }], 'delete', { path: 'a' }, 'deny'],
  [[{ deny: 'delete' }, { allow: '*' }], 'delete', { path: 'a' }, 'deny'],
  [[{ allow: '*' }, { ask: 'write_file(src/**)' }], 'write_file', { path: 'src/a' }, 'ask'],
  [[{ allow: '*' }, { ask: 'write_file(src/**)' }], 'write_file', { path: 'b' }, 'allow'],
  [[{ ask: '*' }, { deny: '*(b)' }], 'write_file', { path: 'b' }, 'deny'],
  [{ allow: 'send(hello)' }, 'send', { text: 'hello' }, 'allow'],
  [{ allow: 'send(hello)' }, 'send', { text: 'hello', more: 'bye' }, 'ask'],
  [{ allow: 'constructor(a)' }, 'constructor', { a: 'a' }, 'allow'],
];

describe('permissions', () => {
  it.each(TABLE)('%j says of %s %j: %s', (rules, name, input, verdict) => {
    verifies('toolbox.permissions.rules');
    const list = Array.isArray(rules) ? (rules as readonly PermissionRule[]) : [rules as PermissionRule];
    expect(permissions(list, { root: '/srv' }).decide(name, { ...input }).verdict).toBe(verdict);
  });

  it('asks about arguments with more texts than it looks at', () => {
    const list = Array.from({ length: 5000 }, () => 'hello');
    expect(permissions([{ allow: 'send(hello)' }]).decide('send', { list }).verdict).toBe('ask');
  });

  it('asks a person about what the rules leave open, with a rule that would allow it', async () => {
    const asked: unknown[] = [];
    const policy = permissions([{ deny: 'delete' }], {
      root: '/srv',
      ask: (_request, decision) => {
        asked.push(decision.suggestion);
        return { decision: 'allow' };
      },
    });
    expect(await policy.approve(request('write_file', { path: 'src/a[1].ts' }))).toEqual({ decision: 'allow' });
    expect(await policy.approve(request('fetch_url', { url: 'https://example.com/a' }))).toEqual({ decision: 'allow' });
    expect(await policy.approve(request('delete', { path: 'a' }))).toMatchObject({ decision: 'deny' });
    expect(asked).toEqual([
      { allow: String.raw`write_file(src/a\[1\].ts)` },
      { allow: 'fetch_url(https://example.com/**)' },
    ]);
  });

  it('without a person, says which rule would allow a call', async () => {
    const answer = await permissions([]).approve(request('run_command', { command: ['npm', 'test'] }));
    expect(answer).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('{"allow":"run_command(npm test)"}'),
    });
  });

  it('remembers a rule from then on, and gives all of them back as JSON', async () => {
    verifies('toolbox.permissions.remember');
    const policy = permissions([{ allow: 'read_file' }]);
    policy.remember({ allow: 'write_file(src/**)' });
    expect(policy.decide('write_file', { path: 'src/a' }).verdict).toBe('allow');
    const saved = JSON.parse(JSON.stringify(policy.rules())) as PermissionRule[];
    expect(permissions(saved).decide('write_file', { path: 'src/a' }).verdict).toBe('allow');
    expect(() => policy.remember({ allow: 'write_file(' })).toThrow('TOOL(pattern)');
  });

  it.each([
    [{ alow: 'x' }, '"allow", "ask" and "deny"'],
    [{ allow: 'x', deny: 'y' }, '"allow", "ask" and "deny"'],
    [{ allow: 1 }, '"allow", "ask" and "deny"'],
    ['read_file', 'not an object'],
    [null, 'not an object'],
    [{ allow: '' }, 'TOOL(pattern)'],
    [{ allow: 'a b' }, 'TOOL(pattern)'],
    [{ allow: 'write_file()' }, 'TOOL(pattern)'],
    [{ allow: 'write_file(a' }, 'TOOL(pattern)'],
    [{ allow: 'a||b' }, 'empty name'],
    [{ allow: `a(${'x'.repeat(3000)})` }, 'longer than'],
    [{ allow: `a(${'{a,b}'.repeat(12)})` }, 'cannot be used'],
  ])('refuses the rule %j', (rule, message) => {
    expect(() => permissions([rule as PermissionRule])).toThrow(message);
  });
});

describe('withPermissions', () => {
  const context = { signal };
  const call = (tools: Toolset, name: string, input: object) =>
    callTool(tools, { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) }, context);

  it('denies what the rules deny, for tools that read as well, and lets through what nobody forbids', async () => {
    verifies('toolbox.permissions.toolset');
    const inner = mockToolset([
      mockTool('read_file', 'content', { effect: 'read' }),
      mockTool('write_file', 'written', { effect: 'write' }),
    ]);
    const tools = withPermissions(inner, permissions([{ deny: '*(**/.env)' }, { ask: 'read_file(private/**)' }]));
    expect(await call(tools, 'read_file', { path: '.env' })).toMatchObject({ code: 'TOOL_DENIED', outcome: 'denied' });
    expect(await call(tools, 'write_file', { path: 'a/.env' })).toMatchObject({ code: 'TOOL_DENIED' });
    expect(await call(tools, 'read_file', { path: 'private/a' })).toMatchObject({ code: 'TOOL_DENIED' });
    expect(await call(tools, 'read_file', { path: 'a' })).toMatchObject({ forLLM: 'content' });
    // The run asks about tools that change something.
    expect(await call(tools, 'write_file', { path: 'a' })).toMatchObject({ forLLM: 'written' });
  });

  it('asks about reads that a rule asks about', async () => {
    const inner = mockToolset([mockTool('read_file', 'content', { effect: 'read' })]);
    const tools = withPermissions(inner, permissions([{ ask: 'read_file' }]));
    expect(await call(tools, 'read_file', { path: 'a' })).toMatchObject({ code: 'TOOL_DENIED' });
    const prepared = await tools.prepare(request('read_file', { path: 'a' }).call, context);
    assert('run' in prepared);
    expect(prepared.needsApproval).toBe(true);
    expect(await prepared.run(context)).toMatchObject({ forLLM: 'content' });
  });

  it('decides on the arguments that the handler gets, not on the text of the model', async () => {
    const ran: string[] = [];
    const inner = createRegistry([
      {
        tool: {
          ...tool('read_file'),
          parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          effect: 'read',
        },
        handler: ({ path }: { path: string }) => {
          ran.push(path);
          return 'content';
        },
      },
    ]);
    const tools = withPermissions(inner, permissions([{ deny: '*(**/.env)' }]));
    const raw = (text: string) =>
      callTool(tools, { type: 'tool-call', id: '2', name: 'read_file', arguments: text }, context);
    await raw('{"path":"a","extra":".env"}');
    expect(ran).toEqual(['a']);
    // A registry unwraps arguments that came as JSON in a string, and repairs a list of one text.
    for (const text of [JSON.stringify('{"path":".env"}'), '{"path":[".env"]}', '```json\n{"path":".env"}\n```'])
      expect(await raw(text)).toMatchObject({ isError: true });
    expect(ran).toEqual(['a']);
  });

  it('leaves a call of an unknown tool to the toolset', async () => {
    const tools = withPermissions(mockToolset([]), permissions([{ deny: 'x' }]));
    expect(await call(tools, 'nothing', {})).toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });
});

it('a tool for files with another text than its path says in src/permissions/known-tools.ts what rules are matched against', () => {
  verifies('toolbox.permissions.rules');
  const unknown = fileTools(memoryWorkspace({})).filter(({ tool: { name, parameters } }) => {
    const { properties = {} } = parameters as { readonly properties?: Readonly<Record<string, unknown>> };
    const texts = Object.keys(properties).filter((each) => each !== 'path');
    return texts.length > 0 && !Object.hasOwn(KNOWN_TOOLS, name);
  });
  // The id of a change is all that `undo` takes, and so all that rules are matched against.
  expect(unknown.map(({ tool: { name } }) => name)).toEqual(['undo']);
});

it.each(['rm -rf x', { words: ['rm -rf x'] }])(
  'a command that is not a list of words is still denied: %j',
  (command) => {
    verifies('toolbox.permissions.rules');
    const { decide } = permissions([{ deny: 'run_command(rm *)' }, { allow: 'run_command' }]);
    expect(decide('run_command', { command }).verdict).toBe('deny');
  },
);
