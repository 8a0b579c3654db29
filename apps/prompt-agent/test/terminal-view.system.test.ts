import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt, promptHere, workspace } from './program.ts';
import { inPseudoTerminal, screenOf } from './terminals.ts';
import { ANSWER, at, READ, MISSING } from './terminal-view.support.ts';

test('--quiet leaves the answer, errors and questions', async () => {
  verifies('cli.look.plain');
  const server = await startWireServer({ replies: [{ calls: [MISSING] }, { text: 'Done.' }] });
  const model = ['--base-url', server.baseUrl, '--model', 'm-1'];
  expect(await promptHere([...model, '-q', 'hi'])).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' });
  await server.close();
  const failed = await promptHere([...model, '--quiet', '--max-turns', '1', 'hi']);
  expect(failed).toMatchObject({ code: 8, stdout: '' });
  expect(failed.stderr).toMatch(/^prompt-agent: [^\n]+\n/);
  expect(failed.stderr).not.toContain('model:');
  const { raw } = await at([{ reasoning: 'Hm.', calls: [MISSING] }, { text: 'Done.' }], { args: ['-q'] });
  expect(raw).toBe('Done.\n');
});

test('what a wire cannot carry of the own tools is not shown, that of other tools is', async () => {
  verifies('cli.look.warnings');
  const server = await startWireServer({ wire: 'ollama', replies: [{ text: 'Done.' }, { text: 'Done.' }] });
  const model = ['--provider', 'ollama', '--base-url', server.baseUrl, '--model', 'm'];
  const own = await promptHere([...model, 'hi']);
  expect(own.stderr).not.toContain('warning:');
  const tools = new URL('../../../packages/tools/dist/index.js', import.meta.url).href;
  const module = `import { bindTool } from ${JSON.stringify(tools)};
    export default [bindTool({ name: 'theirs', description: 'Theirs.', effect: 'read',
      parameters: { type: 'object', properties: { a: { type: 'string', pattern: '^a$' } }, additionalProperties: false } }, () => '')];`;
  const theirs = await promptHere([...model, '--execute', '--tools', 'tools.mjs', 'hi'], {
    cwd: workspace({ 'tools.mjs': module }),
  });
  await server.close();
  expect(theirs.stderr).toMatch(/warning: .*theirs/);
  expect(theirs.stderr).not.toMatch(/warning: .*read_file/);
});

test('in a pseudo-terminal the built program shows the same, and leaves no live line behind', async () => {
  verifies('cli.look');
  const server = await startWireServer({
    replies: [{ calls: [READ] }, { text: ANSWER, fault: { delayMs: 150 } }],
  });
  const args = ['--base-url', server.baseUrl, '--model', 'm-1', 'hi'];
  const terminal = inPseudoTerminal(args, { cwd: workspace(), columns: 60 });
  expect(await terminal.ended).toBe(0);
  await server.close();
  const screen = screenOf(terminal.raw());
  expect(screen).toMatch(
    /✓ read_file \{"path":"notes.md"\} \d+ ms\n\nResult\n\nDone: 42.\n\n {2}const a = 1;\n\n• one\n• two\n\n/,
  );
  expect(screen).not.toContain('waiting for');
  // What was live last is erased: the last thing on the screen is the line of totals.
  expect(terminal.raw().trimEnd().slice(-7)).toMatch(/^\d s.\[0m$/);
});

test('in a pipe nothing of what a terminal needs is loaded', async () => {
  verifies('cli.look');
  const loads = new URL('fixtures/loads.ts', import.meta.url).href;
  const { code, stderr } = await prompt(['what is 6 * 7?'], { env: { NODE_OPTIONS: `--import=${loads}` } });
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/marked|highlight\.js|get-east-asian-width/);
});
