import { callTool } from '@kernel/protocol';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { permissions, withPermissions } from '../../src/permissions/index.ts';

describe('rules for addresses', () => {
  const closed = permissions([
    { allow: 'fetch_url' },
    { deny: 'fetch_url(https://evil.example/**)' },
    { deny: 'fetch_url(http://[::1]/**)' },
    { deny: 'fetch_url(https://münchen.example/admin/**)' },
  ]);
  it.each([
    'https://evil.example./',
    'https://evil.example:8443/',
    'https://EVIL.example/x',
    'https://u@evil.example/',
    'https:evil.example',
    'https://evil。example/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]:80/a',
    'https://xn--mnchen-3ya.example/admin/x',
    'https://MÜNCHEN.example/%61dmin/x',
    'https://münchen.example//ADMIN/x',
  ])('%s is denied', (url) => {
    verifies('toolbox.permissions.rules');
    expect(closed.decide('fetch_url', { url }).verdict).toBe('deny');
  });

  const open = permissions([{ allow: 'fetch_url(https://ok.example/docs/**)' }]);
  it.each([
    'https://ok.example/docs/..%2fadmin',
    'https://ok.example/docs/..%5cadmin',
    'https://ok.example/docs/%2e%2e/admin',
  ])('%s is not covered', (url) => {
    expect(open.decide('fetch_url', { url }).verdict).toBe('ask');
    expect(open.decide('fetch_url', { url: 'https://ok.example/docs/a%2fb' }).verdict).toBe('allow');
  });

  it('a rule without a host is refused', () => {
    expect(() => permissions([{ deny: 'fetch_url(://evil.example)' }])).toThrow('cannot be used');
  });
});

describe('paths', () => {
  it('a backslash is no folder outside of Windows', () => {
    const policy = permissions([{ allow: 'write_file(src/**)' }]);
    expect(policy.decide('write_file', { path: String.raw`x\..\src\a` }).verdict).toBe('ask');
  });
});

describe('arguments that are not an object', () => {
  it('are refused where a tool could read them all the same', async () => {
    verifies('toolbox.permissions.toolset');
    const inner = mockToolset([mockTool('read_file', 'content', { effect: 'read' })]);
    const policy = permissions([{ allow: 'read_file' }, { deny: 'read_file(**/.env)' }]);
    const tools = withPermissions(inner, policy);
    const call = (text: string) =>
      callTool(
        tools,
        { type: 'tool-call', id: '1', name: 'read_file', arguments: text },
        { signal: new AbortController().signal },
      );
    expect(await call('"{\\"path\\":\\".env\\"}"')).toMatchObject({ code: 'TOOL_DENIED' });
    expect(await call('[".env"]')).toMatchObject({ code: 'TOOL_DENIED' });
    expect(await call('')).toMatchObject({ forLLM: 'content' });
  });
});
