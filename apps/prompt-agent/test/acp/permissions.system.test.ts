import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { choose } from './editor.ts';
import { FILES, oneCall } from './permissions.support.ts';
const TOUCH = { name: 'run_command', arguments: { command: ['touch', 'made.txt'] } };
const SCRIPTED_AGENT = fileURLToPath(
  new URL('../../../../packages/acp/test/fixtures/scripted-agent.ts', import.meta.url),
);
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

test('a question about a command shows it as one would type it, with its folder, time limit and isolation', async () => {
  verifies('cli.acp.permission');
  const { questions, cwd } = await oneCall(TOUCH, (request) => choose(request, 'once'));
  const text = JSON.stringify(questions[0]?.toolCall.content);
  expect(text).toContain('$ touch made.txt');
  expect(text).toContain('time limit: 120 s');
  expect(text).toMatch(/isolated/);
  expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
});

test('of another agent, a command is shown as one that it runs by itself, and its changes as diffs and modes', async () => {
  verifies('cli.acp.permission');
  const request = {
    request: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'p', kind: 'execute', rawInput: { command: 'ls src', cwd: '@' } },
      options: [{ optionId: 'once', name: 'Yes', kind: 'allow_once' }],
    },
  };
  const steps = [request, { disk: { 'a.txt': 'two\n' } }, { chmod: 'run.sh', mode: 0o755 }];
  const call = { name: 'scripted-agent', arguments: { task: JSON.stringify(steps) } };
  const { questions, text } = await oneCall(call, (asked) => choose(asked, 'once'), {
    files: { ...FILES, 'run.sh': 'echo\n' },
    args: ['--agent-command', `'${process.execPath}' --disable-warning=ExperimentalWarning '${SCRIPTED_AGENT}'`],
  });
  expect(questions).toHaveLength(3);
  const [, command, patch] = questions.map(({ toolCall }) => toolCall);
  expect(command?.title).toBe("Run `sh -c 'ls src'`, by another agent");
  expect(JSON.stringify(command?.content)).toContain('The agent runs it by itself');
  expect(patch?.content).toMatchObject([
    { type: 'diff', oldText: 'one\n', newText: 'two\n' },
    { type: 'content', content: { text: expect.stringMatching(/mode of "run\.sh": \d+, then 755/) } },
  ]);
  expect(text).toBe('two\n');
});

test('of this program as the agent, a command is asked about once, as it was called, and runs in our isolation', async () => {
  verifies('cli.acp.inner');
  const inner = await startWireServer({
    replies: [{ calls: [{ name: 'run_command', arguments: { command: ['cat', 'a.txt'] } }] }, { text: 'Inner done.' }],
  });
  const command = `HOME='${temporaryFolder('home')}' '${process.execPath}' '${CLI}' acp --base-url ${inner.baseUrl} --model m --no-session`;
  const call = { name: 'cli', arguments: { task: 'Read it.' } };
  const { questions, result } = await oneCall(call, (request) => choose(request, 'once'), {
    files: FILES,
    args: ['--agent-command', command],
  });
  await inner.close();
  expect(questions.map(({ toolCall }) => toolCall.title)).toEqual([expect.any(String), 'Run `cat a.txt`']);
  const shown = JSON.stringify(questions[1]?.toolCall.content);
  expect(shown).toContain('in the copy of the agent cli');
  expect(shown).toContain('time limit: 120 s');
  expect(shown).not.toContain('The agent runs it by itself');
  const read = JSON.stringify(inner.requests.findLast(({ method }) => method === 'POST')?.body);
  expect(read).toContain('Exit code 0');
  expect(read).toContain(String.raw`one\n`);
  expect(result).toContain('Inner done.');
});
