import { callTool, type Toolset } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { describe, expect, it } from 'vitest';
import { globTool, searchTextTool } from '../../src/files/index.ts';
import { type PermissionRule, permissions, withPermissions } from '../../src/permissions/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

const searches = async (...rules: readonly PermissionRule[]) => {
  const root = folderWith({ 'private/a.txt': 'needle', 'open/b.txt': 'needle' });
  const workspace = await createWorkspace({ root });
  const registry = createRegistry([globTool(workspace), searchTextTool(workspace)]);
  const tools: Toolset = withPermissions(registry, permissions(rules, { root, ask: () => ({ decision: 'allow' }) }));
  return async (name: string, input: object, isAllowed = false) => {
    const call = { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) } as const;
    const context = { signal: new AbortController().signal };
    const prepared = isAllowed ? await tools.prepare(call, context) : undefined;
    const running =
      prepared !== undefined && 'run' in prepared ? prepared.run(context) : callTool(tools, call, context);
    return (await running).forLLM;
  };
};

describe('a search', () => {
  it.each<PermissionRule>([
    { deny: 'read_file(private/**)' },
    { deny: '*(**/private)' },
    { deny: 'search_text|glob(private/**)' },
    { ask: 'read_file(private/**)' },
    { ask: '*(private/**)' },
  ])('of the whole workspace leaves out what %j is about', async (rule) => {
    verifies('toolbox.permissions.searches');
    const call = await searches(rule);
    expect(await call('search_text', { query: 'needle' })).toBe('open/b.txt:1: needle');
    expect(await call('search_text', { query: 'needle', glob: 'a.txt' })).toContain('or a rule leaves out');
    expect(await call('glob', { pattern: '**/*.txt' })).toBe('open/b.txt');
  });

  it('of a file that may not be read says that a rule leaves it out', async () => {
    const call = await searches({ deny: 'read_file(private/**)' });
    expect(await call('search_text', { query: 'needle', path: 'private/a.txt' })).toContain(
      '"private/a.txt" is left out of searches by a permission rule',
    );
    expect(await call('search_text', { query: 'needle', path: 'private' })).toContain('or a rule leaves out');
  });

  it('that a rule asked about, and that was allowed, finds what the rule is about', async () => {
    const call = await searches({ ask: '*(private/**)' });
    expect(await call('search_text', { query: 'needle', path: 'private' }, true)).toBe('private/a.txt:1: needle');
  });

  it('is complete under rules about other tools', async () => {
    const call = await searches({ deny: 'edit_file(private/**)' }, { allow: 'read_file(open/**)' });
    expect(await call('glob', { pattern: '**/*.txt' })).toBe('open/b.txt\nprivate/a.txt');
  });
});
