import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies, type WireReply, type WireServer, type WireServerOptions } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { type Outcome, OWN_CONFIG, promptHere, type Start, workspace } from './program.ts';

const ANSWER = 'export const answer = 41;\n';
const EDIT = {
  name: 'edit_file',
  arguments: { path: 'src/answer.ts', edits: [{ old_text: '41', new_text: '42 /* \u202e\u001b[2J */' }] },
};
const DONE = { text: 'Done.' };

type Call = NonNullable<WireReply['calls']>[number];

/** Has a model make calls, one a turn, and answer. */
async function working(
  calls: readonly Call[],
  args: readonly string[],
  start: Start & { cwd: string },
): Promise<{ readonly outcome: Outcome; readonly server: WireServer }> {
  const replies: WireServerOptions['replies'] = [...calls.map((call) => ({ calls: [call] })), DONE];
  const server = await startWireServer({ replies });
  try {
    const model = ['--base-url', server.baseUrl, '--model', 'm'];
    return { outcome: await promptHere([...model, ...args, 'do it'], start), server };
  } finally {
    await server.close();
  }
}

function toolsOf({ requests }: WireServer): readonly string[] {
  const body = requests[0]?.body as { tools: { function: { name: string } }[] };
  return body.tools.map((tool) => tool.function.name);
}

const project = () => workspace({ 'src/answer.ts': ANSWER, 'docs/a.md': 'A\n' });
const textOf = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8');

/** Whether a process with this text in its command line runs. */
function isRunning(text: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

test('--bundle code_agent offers its tools beside datetime and calculate, with its instructions', async () => {
  verifies('cli.bundle');
  const cwd = workspace({ 'package.json': '{"scripts":{"test":"x"}}' });
  const { server, outcome } = await working([], ['--bundle', 'code_agent', '--system-prompt', 'Be brief.'], { cwd });
  const names = toolsOf(server);
  expect(names).toEqual(expect.arrayContaining(['datetime', 'calculate', 'edit_file', 'run_command', 'fetch_url']));
  expect(new Set(names).size).toBe(names.length);
  expect(JSON.stringify(server.requests[0]?.body)).toMatch(/Be brief\.\\n\\nYou work on the project.*npm.*test/);
  expect(outcome.stderr).toContain('note: No command was found that formats the code.\n');
});

test('without a terminal an edit ends the run with exit 4, and the flag is named that allows it', async () => {
  verifies('cli.bundle', 'cli.rules', 'cli.approval.pending');
  const cwd = project();
  const { outcome, server } = await working([EDIT], ['--bundle', 'code_agent'], { cwd });
  expect(outcome).toMatchObject({ code: 4, stdout: '' });
  expect(textOf(cwd, 'src/answer.ts')).toBe(ANSWER);
  expect(outcome.stderr).toContain("The flag --allow 'edit_file(src/answer.ts)' would allow it.\n");
  // The model is not answered in the place of the user.
  expect(server.requests).toHaveLength(1);
  const { outcome: json } = await working([EDIT], ['--bundle', 'code_agent', '--json'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({ reason: 'approval' });
});

test('--allow has an edit run, and its diff is shown escaped', async () => {
  verifies('cli.bundle', 'cli.rules', 'cli.changes');
  const cwd = project();
  const outside = { name: 'write_file', arguments: { path: 'docs/a.md', content: 'B\n' } };
  const rules = ['--allow', 'edit_file(src/**)', '--allow=edit_file(lib/**)'];
  const { outcome } = await working([EDIT, outside], ['--bundle', 'code_agent', ...rules], { cwd });
  expect(outcome.code).toBe(4);
  expect(textOf(cwd, 'src/answer.ts')).toContain('answer = 42');
  expect(textOf(cwd, 'docs/a.md')).toBe('A\n');
  expect(outcome.stderr).toContain(
    '  -export const answer = 41;\n  +export const answer = 42 /* \\u202e\\x1b[2J */;\n',
  );
});

test('--deny goes before --allow, --ask before it too, and both hold for tools that only read', async () => {
  verifies('cli.rules');
  const read = { name: 'read_file', arguments: { path: 'docs/a.md' } };
  const denied = await working([read], ['--allow', '*', '--deny', '*(docs/**)'], { cwd: project() });
  expect(denied.outcome.code).toBe(0);
  expect(JSON.stringify(denied.server.requests[1]?.body)).toContain('TOOL_DENIED');
  const asked = await working([read], ['--allow', '*', '--ask', 'read_file(docs/**)'], { cwd: project() });
  expect(asked.outcome.code).toBe(4);
  expect(asked.server.requests).toHaveLength(1);
  expect(asked.outcome.stderr).toContain("The rule 'read_file(docs/**)' asks about it");
  expect(denied.outcome.stderr + asked.outcome.stderr).not.toContain('would allow it');
});

test.each([
  ['read-only', ['read_file', 'list_directory', 'glob', 'search_text', 'fetch_url']],
  [
    'plan',
    ['read_file', 'list_directory', 'glob', 'search_text', 'run_command', 'read_output', 'stop_command', 'fetch_url'],
  ],
])('--mode %s changes nothing, whatever --allow says', async (mode, names) => {
  verifies('cli.bundle');
  const cwd = project();
  const command = { name: 'run_command', arguments: { command: ['git', 'version'] } };
  const flags = ['--bundle', 'code_agent', '--mode', mode, '--allow', '*'];
  const { server, outcome } = await working([EDIT, command], flags, { cwd });
  expect(outcome.code).toBe(0);
  expect(toolsOf(server)).toEqual(['datetime', 'calculate', 'convert_units', 'inspect_text', ...names]);
  expect(textOf(cwd, 'src/answer.ts')).toBe(ANSWER);
});

test('--bundle blog_agent writes posts, where a rule allows it', async () => {
  verifies('cli.bundle');
  const cwd = workspace({ 'posts/a.md': 'A\n' });
  const post = { name: 'write_file', arguments: { path: 'posts/b.md', content: '# B\n' } };
  const flags = ['--bundle', 'blog_agent', '--allow', 'write_file(posts/**)'];
  const { server } = await working([post], flags, { cwd });
  expect(textOf(cwd, 'posts/b.md')).toBe('# B\n');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('You write posts');
  expect(toolsOf(server)).not.toContain('run_command');
});

test.each([
  [['--bundle', 'nothing'], '--bundle "nothing" is unknown; it is one of code_agent, blog_agent.'],
  [['--bundle', 'code_agent', '--mode', 'yolo'], '--mode "yolo" is unknown; it is one of read-only, plan, act.'],
  [['--mode', 'plan'], '--mode needs --bundle'],
  [['--bundle', 'code_agent', '--allow', 'run_command('], '--allow: The permission rule "run_command("'],
  [['--deny', 'a b'], '--deny: The permission rule "a b"'],
  [['--ask', ''], '--ask: The permission rule ""'],
])('%j exits 2 and names what is wrong', async (flags, said) => {
  verifies('cli.rules', 'cli.bundle');
  const { code, stdout, stderr } = await promptHere([...flags, 'hi']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('no config file sets a bundle, a mode or a rule', async () => {
  verifies('cli.rules.origin');
  const fields = {
    bundle: 'code_agent',
    mode: 'act',
    allow: ['*'],
    permissions: [{ allow: '*' }],
    rules: [{ allow: '*' }],
  };
  const config = JSON.stringify({ ...fields, max_iterations: 5, agents: { a: { ...fields, system_prompt: 'A.' } } });
  const cwd = workspace({ 'mine.json': config, [OWN_CONFIG]: config, 'src/answer.ts': ANSWER });
  for (const flags of [[], ['--config', 'mine.json'], ['--config', 'mine.json', '--agent', 'a']]) {
    const { server } = await working([EDIT], flags, { cwd });
    expect(toolsOf(server)).not.toContain('edit_file');
    const { outcome } = await working([EDIT], [...flags, '--bundle', 'code_agent'], { cwd });
    expect(outcome.code).toBe(4);
  }
  expect(textOf(cwd, 'src/answer.ts')).toBe(ANSWER);
});

test.runIf(process.platform === 'linux')('a command in the background ends with the run', async () => {
  verifies('cli.commands.end');
  const seconds = `31${process.pid}`;
  const command = { name: 'run_command', arguments: { command: ['sleep', seconds], background: true } };
  const flags = ['--bundle', 'code_agent', '--allow', 'run_command(sleep *)'];
  const { outcome } = await working([command], flags, { cwd: project() });
  expect(outcome).toMatchObject({ code: 0, stdout: 'Done.\n' });
  await vi.waitFor(() => expect(isRunning(seconds)).toBe(false), { timeout: 60_000 });
});
