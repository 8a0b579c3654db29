import { acpAgent } from '@kernel/acp';
import type { AgentEvent, Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  allowAll,
  commands,
  copies,
  deciding,
  fileOf,
  give,
  inOwnProcess,
  inputOf,
  NODE_ARGS,
  permission,
  project,
  RAW_AGENT,
  scripted,
} from './support.ts';

const saidBy = (inner: readonly AgentEvent[]): string =>
  inner.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');

test('commands run in the copy through run_command: with what the agent has changed, and after a decision', async () => {
  verifies('acp.terminals');
  const { approve, asked } = allowAll();
  const workspace = await project({ 'a.txt': 'old' });
  const steps = [
    { disk: { 'a.txt': 'new' } },
    { terminal: { command: 'sh', args: ['-c', 'cat a.txt; echo $X; exit 3'], env: [{ name: 'X', value: '7' }] } },
    { terminal: { command: 'no-such-program' } },
    { terminal: { command: 'pwd', cwd: '/' } },
    { disk: { 'a.txt': 'old' } },
  ];
  const { inner } = await give(scripted({ workspace, commands }), steps, { approve });
  expect(inputOf(asked[0])).toEqual({
    agent: 'helper',
    command: ['env', 'X=7', 'sh', '-c', 'cat a.txt; echo $X; exit 3'],
  });
  const said = saidBy(inner);
  expect(said).toContain('{"exit":{"exitCode":3},"output":"new7\\n"}');
  expect(said).toContain('there is no such program on the PATH');
  expect(said).toContain('cwd is not in the folder of the session');
  expect(asked).toHaveLength(2);
});

test('a server goes on while the agent does something else, and ends with it', async () => {
  verifies('acp.terminals');
  const { approve, asked } = allowAll();
  const steps = [
    {
      request: 'terminal/create',
      params: { command: process.execPath, args: ['-e', 'console.log("up");setInterval(()=>{},9)'] },
    },
    { terminal: { command: 'echo', args: ['second'] } },
    { request: 'terminal/output', params: { terminalId: 'terminal-1' } },
    { request: 'terminal/kill', params: { terminalId: 'terminal-1' } },
    { request: 'terminal/wait_for_exit', params: { terminalId: 'terminal-1' } },
    { request: 'terminal/output', params: { terminalId: 'nobody' } },
    { request: 'terminal/create', params: { command: process.execPath, args: ['-e', 'setInterval(()=>{},9)'] } },
  ];
  const { inner, end } = await give(scripted({ workspace: await project(), commands }), steps, { approve });
  const said = saidBy(inner);
  expect(said).toContain('{"terminalId":"terminal-1"}');
  expect(said).toContain('second');
  expect(said).toContain('There is no terminal');
  expect(said).toMatch(/"signal":"SIG/);
  expect(asked).toHaveLength(3);
  expect(end.reason).toBe('done');
  expect(copies()).toEqual([]);
});

test('the output of a command is cut to its bytes and said to be, its folder is in the copy, and its variables have names', async () => {
  verifies('acp.terminals');
  const terminal = async (command: readonly string[], more: object = {}) => {
    const [program, ...args] = command;
    const steps = [
      { link: 'out', to: '/' },
      { request: 'terminal/create', params: { command: program, args, ...more } },
      { request: 'terminal/wait_for_exit', params: { terminalId: 'terminal-1' } },
      { request: 'terminal/output', params: { terminalId: 'terminal-1' } },
    ];
    return saidBy((await give(scripted({ workspace: await project(), commands }), steps, allowAll())).inner);
  };
  expect(await terminal(['printf', 'äöü'], { outputByteLimit: 3 })).toContain('{"output":"ü","truncated":true,');
  expect(await terminal(['printf', 'äöü'], { outputByteLimit: 6 })).toContain('{"output":"äöü","truncated":false,');
  expect(await terminal([process.execPath, '-e', "process.stdout.write('x'.repeat(3e6))"])).toContain(
    '"truncated":true',
  );
  expect(await terminal(['pwd'], { cwd: '@out' })).toContain('cwd is not in the folder of the session');
  expect(await terminal(['pwd'], { env: [{ name: '-S echo', value: '' }] })).toContain(
    'cannot be the name of a variable',
  );
});

test('a request that is still open when the turn ends, or is taken back, is not asked about', async () => {
  verifies('acp.permissions');
  const { approve, asked } = allowAll();
  const params = (title: string) => ({
    sessionId: 's1',
    ...permission({ toolCallId: title, kind: 'other', title }).params,
  });
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const ask = (id: string): string => line({ id, method: 'session/request_permission', params: params(id) });
  const taken = `${ask('taken back')}${line({ method: '$/cancel_request', params: { requestId: 'taken back' } })}`;
  const workspace = await project();
  await give(inOwnProcess({ workspace }), [{ raw: taken }, permission({ kind: 'other', title: 'kept' })], { approve });
  const args = [...NODE_ARGS, RAW_AGENT, 'open request'];
  await give(acpAgent({ command: process.execPath, args, name: 'raw', workspace }), [], { approve });
  expect(asked.map((call) => inputOf(call)['title'])).toEqual(['kept']);
});

test('a decision that comes later, in another process: changes are made without the agent', async () => {
  verifies('acp.later');
  const workspace = await project({ 'a.txt': 'one\n' });
  const { approve } = deciding(() => ({ decision: 'later' }));
  const first = await give(scripted({ workspace }), [{ disk: { 'a.txt': 'two\n' } }, { say: 'Done.' }], { approve });
  expect(first.end.reason).toBe('approval');
  expect(copies()).toEqual([]);
  const messages = JSON.parse(JSON.stringify(first.end.messages)) as readonly Message[];
  // The agent cannot be started any more: it is not needed.
  const gone = inOwnProcess({ workspace, command: '/no/such/agent' });
  const { text } = await give(gone, [], { ...allowAll(), messages });
  expect(text).toMatch(/^Done\.\n\nDone \(change /);
  expect(fileOf(workspace, 'a.txt')).toBe('two\n');
});
