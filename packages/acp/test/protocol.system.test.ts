import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileSchema } from '@kernel/schema';
import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import type { Step } from './fixtures/scripted-steps.ts';
import {
  allowAll,
  commands,
  copies,
  deciding,
  give,
  inputOf,
  permission,
  project,
  runningAgents,
  scripted,
} from './support.ts';

const SCHEMA = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.unstable.json'),
    'utf8',
  ),
) as { readonly $defs: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

type Message = Readonly<Record<string, unknown>>;
interface Tapped {
  readonly from: 'agent' | 'client';
  readonly message: Message;
}

/** The definition of the parameters or the result of a method, as the schema names it. */
function definition(method: unknown, endings: readonly string[]): string {
  const found = Object.entries(SCHEMA.$defs).find(
    ([name, each]) => each['x-method'] === method && endings.some((ending) => name.endsWith(ending)),
  );
  if (found === undefined) throw new Error(`The schema has no ${String(method)} (${endings.join(', ')}).`);
  return found[0];
}

function problemsOf(messages: readonly Tapped[]): readonly string[] {
  const asked = new Map<string, unknown>();
  return messages.flatMap(({ from, message }) => {
    const { id, method, params, result, error } = message;
    if (method !== undefined && id !== undefined) asked.set(`${from} ${JSON.stringify(id)}`, method);
    const by = from === 'agent' ? 'client' : 'agent';
    const [name, value] =
      method !== undefined
        ? [definition(method, id === undefined ? ['Notification'] : ['Request']), params]
        : error !== undefined
          ? ['Error', error]
          : [definition(asked.get(`${by} ${JSON.stringify(id)}`), ['Response']), result];
    const schema = { ...SCHEMA, anyOf: undefined, $ref: `#/$defs/${name}` } as unknown as JsonSchema;
    const issues = compileSchema(JSON.parse(JSON.stringify(schema)) as JsonSchema).issues(value);
    return message['jsonrpc'] === '2.0' && issues.length === 0
      ? []
      : [`${name}: ${JSON.stringify(message)} ${JSON.stringify(issues)}`];
  });
}

test('every message both ways is one of the schema of the protocol', async () => {
  verifies('acp.schema');
  const tap = join(temporaryFolder('acp-tap'), 'tap');
  const { approve } = deciding((call) =>
    inputOf(call)['title'] === 'no' ? { decision: 'deny', reason: 'No.' } : { decision: 'allow' },
  );
  const steps: readonly Step[] = [
    { say: 'a' },
    { think: 'b' },
    { disk: { 'a.txt': 'b\n' } },
    permission({ kind: 'execute', rawInput: 'ls' }),
    permission({ kind: 'other', title: 'no' }),
    permission({ kind: 'other', title: 'none' }, ['allow_always']),
    { request: 'fs/read_text_file', params: { path: '@a.txt', line: 1, limit: 1 } },
    { request: 'fs/read_text_file', params: { path: '/etc/passwd' } },
    { request: 'fs/write_text_file', params: { path: '@c.txt', content: 'c' } },
    { terminal: { command: 'echo', args: ['1'], outputByteLimit: 1 } },
    { request: 'terminal/create', params: { command: process.execPath, args: ['-e', 'setInterval(()=>{},9)'] } },
    { request: 'terminal/kill', params: { terminalId: 'terminal-5' } },
    { request: 'elicitation/create', params: { mode: 'form', message: '?', requestedSchema: { type: 'object' } } },
    { end: 'end_turn' },
  ];
  const workspace = await project({ 'a.txt': 'a\n' });
  const flags = [`--tap=${tap}`];
  await give(scripted({ workspace, commands, flags, model: 'large', mode: 'ask' }), steps, { approve });
  const messages = readFileSync(tap, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Tapped);
  expect(messages.filter(({ from }) => from === 'client').length).toBeGreaterThan(14);
  expect(problemsOf(messages)).toEqual([]);
});

test('an abort at any event ends the run, the agent and its copy', { timeout: 240_000 }, async () => {
  verifies('acp.ends');
  const steps: readonly Step[] = [
    { say: 'a' },
    { disk: { 'a.txt': 'b\n' } },
    permission({ kind: 'other', title: 'may I' }),
    { terminal: { command: 'echo', args: ['1'] } },
    { say: 'b' },
  ];
  const whole = await give(scripted({ workspace: await project({ 'a.txt': 'a\n' }), commands }), steps, allowAll());
  expect(whole.end.reason).toBe('done');
  const count = whole.events.findIndex((event) => event.type === 'tool-end');
  for (let at = 1; at < count; at += 1) {
    const workspace = await project({ 'a.txt': 'a\n' });
    const controller = new AbortController();
    let seen = 0;
    const onEvent = (): void => {
      seen += 1;
      if (seen === at) controller.abort();
    };
    const { end, events } = await give(scripted({ workspace, commands }), steps, {
      ...allowAll(),
      signal: controller.signal,
      onEvent,
    });
    expect([at, end.reason]).toEqual([at, 'aborted']);
    expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(
      events.filter(({ type }) => type === 'tool-end').length,
    );
    await vi.waitUntil(() => copies().length + runningAgents() === 0, { timeout: 60_000, interval: 5 });
  }
});

test('importing the package loads neither the SDK nor zod', () => {
  verifies('acp.lazy');
  const trace = `import { registerHooks } from 'node:module'; const seen = []; registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } }); await import('@kernel/acp'); console.log(seen.filter((url) => /agentclientprotocol|zod/.test(url)).length, seen.length);`;
  const out = execFileSync(
    process.execPath,
    ['--conditions=@kernel/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', trace],
    {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    },
  );
  expect(out).toMatch(/^0 [1-9]/);
});
