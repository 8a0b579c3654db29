import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgent, type AcpAgentLimits } from '@kernel/acp';
import type { AgentEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  allowAll,
  copies,
  give,
  inOwnProcess,
  isAlive,
  NODE_ARGS,
  type Outcome,
  project,
  RAW_AGENT,
  scripted,
} from './support.ts';

const HOLDS_AGENT = fileURLToPath(new URL('fixtures/holds-agent.ts', import.meta.url));

afterEach(() => {
  if (copies().length > 0) throw new Error('A copy was left behind.');
});

async function raw(
  way: string,
  { limits, file = '' }: { limits?: AcpAgentLimits; file?: string } = {},
  rest: Omit<NonNullable<Parameters<typeof give>[2]>, 'approve'> = {},
) {
  const args = [...NODE_ARGS, RAW_AGENT, way, file];
  const env = { KEY: 'k-secret-value-123' };
  const binding = acpAgent({ command: process.execPath, args, env, name: 'raw', workspace: await project(), limits });
  return give(binding, [], { ...allowAll(), ...rest });
}

/** Runs an agent while it is watched what reaches stderr. */
async function quietly(work: () => Promise<Outcome>): Promise<Outcome> {
  const written = vi.spyOn(console, 'error');
  try {
    const outcome = await work();
    expect(written.mock.calls).toEqual([]);
    return outcome;
  } finally {
    written.mockRestore();
  }
}

test.each([
  ['huge', { messageBytes: 100_000 }, 'a message is longer than 100000 bytes (limits.messageBytes)'],
  ['no line', { messageBytes: 100_000 }, 'a message is longer than 100000 bytes (limits.messageBytes)'],
  [
    'flood',
    { textCharacters: 50_000 },
    'LIMIT_REACHED: The agent said more than 50000 characters. limits.textCharacters',
  ],
  ['calls', {}, 'LIMIT_REACHED: The agent made more than 10000 calls'],
  ['inputs', { textCharacters: 500_000 }, 'LIMIT_REACHED: The agent said more than 500000 characters'],
  ['plans', { textCharacters: 50_000 }, 'LIMIT_REACHED: The agent said more than 50000 characters'],
  ['requests', {}, 'it made more than 64 requests at once'],
  ['same id', {}, 'it used the id 7 for two requests at once'],
  ['half', { silenceMs: 50 }, 'PROVIDER_TIMEOUT: The agent said nothing for 50 ms (limits.silenceMs)'],
  ['half and gone', {}, 'The agent ended with exit code 0.'],
  ['kill', {}, 'The agent ended by SIGKILL.'],
  ['closed', {}, 'The agent ended'],
  ['error', {}, 'The agent "raw" reports: the model is\\x1b[2J gone.'],
] as const)('an agent that is %s ends with an error that says so', async (way, limits, message) => {
  verifies('acp.hostile');
  const { result } = await quietly(() => raw(way, { limits }));
  expect(result?.isError).toBe(true);
  expect(result?.forLLM).toContain(message);
});

test.each([
  ['that ends', 'console.log("hello")', 'The agent ended with exit code 0'],
  ['that says nothing', 'require("fs").closeSync(1);setInterval(() => {}, 1000)', 'The agent ended by SIGTERM'],
  ['that says why', 'console.error("usage: no-agent FILE");process.exit(2)', 'and wrote: usage: no-agent FILE'],
])('a program %s, and is no agent, is said to be none', async (_, program, how) => {
  verifies('acp.start');
  const command = { command: process.execPath, args: ['-e', program], name: 'helper' };
  const { result } = await give(acpAgent({ ...command, workspace: await project() }), [], allowAll());
  expect(result?.isError).toBe(true);
  expect(result?.forLLM).toContain(how);
  expect(result?.forLLM).toContain('It may not speak the Agent Client Protocol');
  expect(result?.forLLM).not.toContain('EPIPE');
});

test('an agent that dies is said to have, with the last lines of its stderr, made visible and without the values of env', async () => {
  verifies('acp.hostile');
  const { result } = await raw('exit');
  expect(result?.forLLM).toContain(
    'The agent ended with exit code 3, and wrote: first line\n\\x1b[31mno model: key [redacted]',
  );
});

test('answers given twice or never asked for, and what comes after the end, change nothing', async () => {
  verifies('acp.hostile');
  const { text, events } = await quietly(() => raw('twice'));
  expect(text).toBe('once');
  expect(events.filter(({ type }) => type === 'tool-progress')).toEqual([]);
});

test.each(['garbage', 'chatty', 'nonsense'])(
  'lines that are no messages of the protocol are left out: %s',
  async (way) => {
    verifies('acp.hostile');
    const { result, text } = await quietly(() => raw(way));
    expect(result?.isError).toBeUndefined();
    const answers: Readonly<Record<string, string>> = {
      garbage: 'still here',
      chatty: 'hello',
      nonsense: 'The agent ended its turn',
    };
    expect(text).toContain(answers[way]);
  },
);

test.skipIf(process.platform === 'win32')(
  'an agent that ignores every signal but one ends with an abort, and so does what it started',
  async () => {
    verifies('acp.ends');
    const stop = async (way: string): Promise<void> => {
      const file = join(temporaryFolder('acp-pid'), 'pid');
      const controller = new AbortController();
      const { end } = await raw(way, { file }, { signal: controller.signal, onEvent: stopWhenSaid(controller) });
      expect(end.reason).toBe('aborted');
      const pid = Number(readText(file));
      expect(pid).toBeGreaterThan(0);
      // The run does not wait for a call that was aborted.
      await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 });
    };
    await Promise.all(['stubborn', 'child'].map((way) => stop(way)));
    await vi.waitUntil(() => copies().length === 0, { timeout: 60_000 });
  },
);

/** Starts a program that has an agent at work, whose copy is in `folder`. Resolves when the agent runs. */
async function startHolder(folder: string, way: string) {
  const file = join(temporaryFolder('acp-pid'), 'pid');
  const child = spawn(
    process.execPath,
    ['--conditions=@kernel/source', '--disable-warning=ExperimentalWarning', HOLDS_AGENT, RAW_AGENT, way, file],
    { stdio: 'ignore', env: { ...process.env, TMPDIR: folder } },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const agent = await vi.waitUntil(() => Number(readText(file)), { timeout: 60_000 });
  return { child, agent };
}

const copiesIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith('kernel-agent-'));

test.skipIf(process.platform === 'win32')(
  'an agent does not outlive the program that started it when that is ended by a signal, and neither does its copy',
  async () => {
    verifies('acp.ends');
    const folder = temporaryFolder('acp-copies');
    const { child, agent } = await startHolder(folder, 'stubborn');
    expect(copiesIn(folder)).toHaveLength(1);
    child.kill('SIGTERM');
    await vi.waitUntil(() => !isAlive(agent) && copiesIn(folder).length === 0, { timeout: 60_000 });
    expect(isAlive(agent)).toBe(false);
  },
);

test.skipIf(process.platform === 'win32')(
  'an agent does not outlive a program that is killed, and the next one removes the copy',
  async () => {
    verifies('acp.ends');
    const folder = temporaryFolder('acp-copies');
    const { child, agent } = await startHolder(folder, 'polite');
    child.kill('SIGKILL');
    await vi.waitUntil(() => !isAlive(agent) && child.signalCode !== null, { timeout: 60_000 });
    expect(copiesIn(folder)).toHaveLength(1);
    const next = await startHolder(folder, 'polite');
    expect(copiesIn(folder)).toEqual([expect.stringContaining(`kernel-agent-${next.child.pid}-`)]);
    next.child.kill('SIGTERM');
    await vi.waitUntil(() => copiesIn(folder).length === 0, { timeout: 60_000 });
  },
);

test('an agent that is stopped is told so first, and can end its turn', async () => {
  verifies('acp.ends');
  const tap = join(temporaryFolder('acp-tap'), 'tap');
  const controller = new AbortController();
  const running = give(
    inOwnProcess({ workspace: await project(), flags: [`--tap=${tap}`] }),
    [{ say: 'working' }, { cancelledWith: null }],
    {
      ...allowAll(),
      signal: controller.signal,
      onEvent: stopWhenSaid(controller),
    },
  );
  expect((await running).end.reason).toBe('aborted');
  await vi.waitUntil(() => copies().length === 0, { timeout: 60_000 });
  expect(readText(tap)).toContain('"method":"session/cancel"');
  expect(readText(tap)).toContain('"stopReason":"cancelled"');
});

test.each([
  [['--version=9'], 'speaks version 9 of the protocol, and this client version 1'],
  [
    ['--auth'],
    'The agent "helper" is not signed in. Start it in a terminal and sign in there first, or give it its key in env. It offers: An API key\\x1b[2J.',
  ],
  [['--broken'], 'The agent "helper" reports: the disk is full.'],
])('an agent that cannot begin is refused with what to do: %s', async (flags, message) => {
  verifies('acp.start');
  const { result } = await give(scripted({ workspace: await project(), flags }), [], allowAll());
  expect(result?.isError).toBe(true);
  expect(result?.forLLM).toContain(message);
});

test('an agent that never answers is given up after a time that names itself', async () => {
  verifies('acp.start');
  const { text } = await give(
    scripted({ workspace: await project(), flags: ['--mute'], limits: { startMs: 50 } }),
    [],
    allowAll(),
  );
  expect(text).toContain('PROVIDER_TIMEOUT: The agent was not ready within 50 ms (limits.startMs).');
});

test.each([
  ['no-such-agent-program', 'there is no such program on the PATH'],
  ['/no/such/agent', 'there is no such program.'],
  ['/', 'it is not executable'],
])('a program that cannot be started is named: %s', async (command, message) => {
  verifies('acp.start');
  const { text } = await give(inOwnProcess({ workspace: await project(), command }), [], allowAll());
  expect(text).toContain(`TOOL_UNAVAILABLE: The agent "${command}" cannot be started: ${message}`);
});

test('an agent gets no variables but those that every program needs and those that are named', async () => {
  verifies('acp.start');
  vi.stubEnv('ACP_TEST_SECRET', 'x');
  const steps = [{ environment: ['ACP_TEST_SECRET', 'GIVEN', 'HOME'] }];
  const { text } = await give(inOwnProcess({ workspace: await project(), env: { GIVEN: 'yes' } }), steps, allowAll());
  vi.unstubAllEnvs();
  expect(JSON.parse(text)).toEqual({ ACP_TEST_SECRET: null, GIVEN: 'yes', HOME: process.env['HOME'] ?? null });
});

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Aborts a run when its agent says the first word. */
function stopWhenSaid(controller: AbortController): (event: AgentEvent) => void {
  return (event) => {
    if (event.type === 'sub-agent-event' && event.event.type === 'text-delta') controller.abort();
  };
}
