import { verifies } from '@kernel/testing';
import { createRegistry, resolveBundle } from '@kernel/tools';
import { BLOG_AGENT, CODE_AGENT } from '@kernel/tools/compat';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { blogAgent, codeAgent, projectCommands } from '../../src/agents/index.ts';
import { fileTools } from '../../src/files/index.ts';
import { streamChannel } from '../../src/messages/index.ts';
import { permissions } from '../../src/permissions/index.ts';
import { fakeSearch } from '../../src/web/index.ts';
import { createWorkspace, memoryWorkspace } from '../../src/workspace/index.ts';

const search = fakeSearch([]);
const signal = new AbortController().signal;

async function project(write: readonly string[] = ['**']) {
  const root = await realpath(await mkdtemp(`${tmpdir()}/agent-`));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return createWorkspace({ root, write });
}

describe('code_agent', () => {
  it('has every tool that its bundle requires, what the bundle can use, and no other', async () => {
    verifies('toolbox.bundles');
    const { tools } = await codeAgent({ workspace: await project(), search });
    const resolved = await resolveBundle(createRegistry(tools), CODE_AGENT, { strict: true });
    expect(resolved.missingOptional).toEqual([]);
    const others = tools.map(({ tool }) => tool.name).filter((name) => !resolved.tools.has(name));
    expect(others, 'name these in packages/tools/src/compat/bundles.ts').toEqual([]);
  });

  it('offers and allows in each mode what the effect of a tool for files says', async () => {
    verifies('toolbox.bundles');
    const workspace = await project();
    for (const { tool } of fileTools(workspace)) {
      const reads = tool.effect === 'read';
      for (const mode of ['read-only', 'plan'] as const) {
        const { rules, tools } = await codeAgent({ workspace, mode });
        expect([tool.name, tools.some((each) => each.tool.name === tool.name)]).toEqual([tool.name, reads]);
        const { verdict } = permissions([...rules, { allow: '*' }]).decide(tool.name, {});
        expect([tool.name, verdict]).toEqual([tool.name, reads ? 'allow' : 'deny']);
      }
    }
  });

  it.each([
    ['read-only', ['read_file', 'list_directory', 'glob', 'search_text', 'fetch_url']],
    [
      'plan',
      ['read_file', 'list_directory', 'glob', 'search_text', 'run_command', 'read_output', 'stop_command', 'fetch_url'],
    ],
  ] as const)('%s has the tools that change nothing', async (mode, names) => {
    const { tools, instructions } = await codeAgent({ workspace: await project([]), mode });
    expect(tools.map(({ tool }) => tool.name)).toEqual(names);
    expect(instructions).toContain('cannot change anything');
  });

  it.each([
    ['read-only', ['git', 'status'], 'deny'],
    ['plan', ['git', 'status'], 'allow'],
    ['plan', ['git', 'diff', '--stat'], 'allow'],
    ['plan', ['git', 'diff', '--output=x'], 'ask'],
    ['plan', ['npm', 'test'], 'ask'],
    ['act', ['git', 'log', '-3'], 'allow'],
    ['act', ['git', 'commit', '-m', 'x'], 'ask'],
  ] as const)('%s says of %j: %s', async (mode, command, verdict) => {
    const { rules } = await codeAgent({ workspace: await project(), mode });
    expect(permissions(rules).decide('run_command', { command }).verdict).toBe(verdict);
    expect(permissions(rules).decide('write_file', { path: 'a' }).verdict).toBe(mode === 'act' ? 'ask' : 'deny');
  });

  it.each([
    ['write_file', { path: '.vscode/tasks.json' }, 'ask'],
    ['write_file', { path: 'a/../.VSCode/tasks.json' }, 'ask'],
    ['edit_file', { path: 'packages/a/.husky/pre-commit' }, 'ask'],
    ['edit_file', { path: '.config/fish/config.fish' }, 'ask'],
    ['write_file', { path: '.zlogout' }, 'ask'],
    ['delete', { path: '.git' }, 'ask'],
    ['move', { from: 'a', to: '.git/hooks/pre-commit' }, 'ask'],
    ['move', { from: '.bashrc', to: 'a' }, 'ask'],
    ['apply_patch', { patch: '*** Begin Patch\n*** Add File: .mcp.json\n+{}\n*** End Patch' }, 'ask'],
    ['run_command', { command: ['sh', '-c', 'echo x > .zshrc'] }, 'ask'],
    ['write_file', { path: 'src/vscode/tasks.json' }, 'allow'],
    ['write_file', { path: '.gitignore' }, 'allow'],
    ['read_file', { path: '.vscode/tasks.json' }, 'allow'],
  ] as const)('act, with every change allowed, says of %s %j: %s', async (tool, input, verdict) => {
    verifies('toolbox.bundles');
    const { rules } = await codeAgent({ workspace: await project() });
    const policy = permissions([
      ...rules,
      { allow: 'read_file|write_file|edit_file|apply_patch|move|delete' },
      { allow: 'run_command(sh|echo *)' },
    ]);
    expect(policy.decide(tool, input).verdict).toBe(verdict);
  });

  it('names the commands of the project, and says what is missing', async () => {
    const workspace = await project();
    await workspace.write('package.json', JSON.stringify({ scripts: { test: 'x', format: 'y' } }));
    await workspace.write('pnpm-lock.yaml', '');
    const { instructions } = await codeAgent({ workspace });
    expect(instructions).toContain('["pnpm","test"]');
    expect(instructions).toContain('["pnpm","run","format"]');
    vi.stubEnv('PATH', '');
    const bare = await codeAgent({ workspace: await project() });
    vi.unstubAllEnvs();
    expect(bare.missing).toEqual([
      'There is no program "git" on the PATH.',
      'No command was found that runs the tests.',
      'No command was found that formats the code.',
    ]);
  });

  it('refuses to act where nothing can be written, and has no commands in memory', async () => {
    await expect(codeAgent({ workspace: await project([]) })).rejects.toThrow('needs a workspace that may be written');
    const { tools } = await codeAgent({ workspace: memoryWorkspace({}, { write: ['**'] }) });
    expect(tools.map(({ tool }) => tool.name)).not.toContain('run_command');
  });
});

describe('blog_agent', () => {
  it('has every tool that its bundle can use, but a calendar that is not given', async () => {
    const { tools, missing } = blogAgent({
      workspace: await project(),
      search,
      channels: [streamChannel(new PassThrough())],
    });
    const resolved = await resolveBundle(createRegistry(tools), BLOG_AGENT, { strict: true });
    expect(resolved.missingOptional).toEqual(['schedule']);
    expect(missing).toEqual([]);
    expect(blogAgent({ workspace: await project() }).missing[0]).toContain('No search engine');
  });

  it('changes and publishes nothing in any mode but act', async () => {
    verifies('toolbox.bundles');
    const channels = [streamChannel(new PassThrough())];
    for (const mode of ['read-only', 'plan'] as const) {
      const { tools, rules, instructions } = blogAgent({ workspace: memoryWorkspace({}), mode, channels });
      const names = tools.map(({ tool }) => tool.name);
      expect(names).toEqual(['read_file', 'list_directory', 'glob', 'search_text', 'fetch_url']);
      expect(permissions(rules).decide('write_file', { path: 'a.md' }).verdict).toBe('deny');
      expect(instructions).toContain('cannot change anything');
    }
  });
});

describe('projectCommands', () => {
  it.each([
    [{ 'package.json': '{"scripts":{"test":"x","lint:fix":"y"}}' }, ['npm', 'test'], ['npm', 'run', 'lint:fix']],
    [{ 'package.json': '{"scripts":{"test":"x"}}', 'yarn.lock': '' }, ['yarn', 'test'], undefined],
    [{ 'package.json': '{' }, undefined, undefined],
    [{ 'package.json': '[]' }, undefined, undefined],
    [{ 'package.json': '{"scripts":{"__proto__":"x"}}' }, undefined, undefined],
    [{ 'Cargo.toml': '[package]' }, ['cargo', 'test'], ['cargo', 'fmt']],
    [{ 'go.mod': 'module x' }, ['go', 'test', './...'], ['gofmt', '-w', '.']],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n' }, ['pytest'], ['ruff', 'format']],
    [{ Makefile: 'all:\n\ntest: all\n' }, ['make', 'test'], undefined],
    [{}, undefined, undefined],
  ] as const)('finds them in %j', async (files, test, format) => {
    const workspace = memoryWorkspace({ ...files });
    expect(await projectCommands(workspace, signal)).toEqual({ test, format });
  });
});
