import { KernelError } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createModelClient } from '../src/client/index.ts';
import { runToolLoop } from '../src/compat/index.ts';
import {
  agentAsTool,
  createMemorySession,
  repairHistory,
  run,
  runSession,
  runTeam,
  withAsyncPolicy,
  withClearedResults,
  withCompaction,
  withHooks,
} from '../src/index.ts';
import { openFileSession } from '../src/session/file-session.ts';

/** What a plain JavaScript program may pass. */
const untyped = (value: unknown): never => value as never;
const provider = scriptedProvider([]);
const tools = mockToolset([mockTool('a', 'ok')]);
const valid = { provider, model: 'm', messages: [] };
const inner = { provider, model: 'm' };

async function refusalOf(work: () => unknown): Promise<{ message: string; hint: string }> {
  try {
    await work();
  } catch (error) {
    if (KernelError.is(error, 'CONFIG_INVALID')) return { message: error.message, hint: error.hint ?? '' };
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

describe('run refuses, before anything is sent,', () => {
  test.each([
    ['maxTurns', 'limits: { turns }'],
    ['maxSteps', 'limits: { turns }'],
    ['stopWhen', 'limits: { turns }'],
    ['instructions', '"system"'],
    ['prompt', 'messages: [{'],
    ['execute', 'defineTool'],
    ['inputSchema', 'defineTool'],
    ['apiKey', 'createProvider('],
    ['baseURL', 'createProvider('],
    ['temperature', 'options: { temperature }'],
    ['abortSignal', '"signal"'],
    ['onStepFinish', 'for await'],
    ['modle', '"model"'],
    ['color', 'The options are provider, model'],
  ])('the option %s, with what to write', async (key, hint) => {
    verifies('agent.options.unknownKeys');
    const error = await refusalOf(() => run(untyped({ ...valid, [key]: 'sk-1' })));
    expect(error.message).toContain(`there is no option "${key}"`);
    expect(error.hint).toContain(hint);
    expect(error.message + error.hint).not.toContain('sk-1');
  });

  test.each([
    [{ maxTurns: 3 }, 'limits.maxTurns', '"turns"'],
    [{ timeout: 3 }, 'limits.timeout', '"timeMs"'],
    [{ turn: 3 }, 'limits.turn', 'limits.turns'],
    [{ cost: { max: 1, of: () => 0, currency: 'EUR' } }, 'limits.cost.currency', 'limits.cost.max'],
    [{ repeats: { warm: 1 } }, 'limits.repeats.warm', 'limits.repeats.warn'],
    [3, 'limits must be an object, not a number', 'turns'],
  ])('the limits %o', async (limits, message, hint) => {
    verifies('agent.options.unknownKeys');
    const error = await refusalOf(() => run({ ...valid, limits: untyped(limits) }));
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test.each([
    [undefined, 'without options'],
    [{ ...valid, provider: 'openai' }, 'a string as its provider'],
    [{ ...valid, provider: undefined }, 'without a provider'],
    [{ ...valid, tools: [{ name: 'a' }] }, 'not a Toolset'],
    [{ ...valid, tools: { a: {} } }, 'not a Toolset'],
    [{ ...valid, messages: 'hello' }, 'without an array of messages'],
    [{ ...valid, approve: true }, 'a boolean as approve'],
  ])('the wrong shape in %o', async (options, message) => {
    verifies('agent.options.unknownKeys');
    expect((await refusalOf(() => run(untyped(options)))).message).toContain(message);
  });
});

test.each<readonly [string, () => unknown, string]>([
  ['runSession', () => runSession(untyped({ ...inner, session: createMemorySession(), maxTurns: 1 })), 'turns'],
  ['runSession', () => runSession(untyped(inner)), 'createMemorySession()'],
  ['openFileSession', () => openFileSession('/nowhere/s.jsonl', untyped({ sync: true })), '"fsync"'],
  ['runTeam', () => runTeam(untyped({ members: new Map(), first: 'a', messages: [], agents: [] })), '"members"'],
  ['runTeam', () => runTeam(untyped({ members: {}, first: 'a', messages: [] })), 'new Map('],
  [
    'runTeam, member "a"',
    () =>
      runTeam({
        members: new Map([['a', { description: 'A.', run: untyped({ ...inner, instructions: 'x' }) }]]),
        first: 'a',
        messages: [],
      }),
    '"system"',
  ],
  ['agentAsTool', () => agentAsTool(untyped({ name: 'a', description: 'A.', run: inner, model: 'm' })), 'run: {'],
  [
    'agentAsTool, "a"',
    () => agentAsTool({ name: 'a', description: 'A.', run: untyped({ ...inner, messages: [] }) }),
    'outer run',
  ],
  ['agentAsTool, "a"', () => agentAsTool(untyped({ name: 'a', description: 'A.' })), 'provider, model'],
  ['withCompaction', () => withCompaction(provider, untyped({ maxToken: 100 })), '"maxTokens"'],
  ['withCompaction', () => withCompaction(provider, untyped({})), 'a number above 0'],
  ['withClearedResults', () => withClearedResults(provider, untyped({ keeps: 2 })), '"keep"'],
  ['withClearedResults', () => withClearedResults(untyped(tools)), 'createProvider('],
  ['withHooks', () => withHooks(provider, untyped({ beforeTool: () => undefined })), 'withHooks(tools'],
  ['withHooks', () => withHooks(tools, untyped({ onToolCall: () => undefined })), 'beforeTool'],
  ['withAsyncPolicy', () => withAsyncPolicy(tools, untyped({ timeout: 5 })), '"timeoutMs"'],
  ['withAsyncPolicy', () => withAsyncPolicy(untyped([]), {}), 'createRegistry('],
  ['repairHistory', () => repairHistory([], untyped({ provider: 'openai' })), '"vendor"'],
  ['createModelClient', () => createModelClient(untyped({ ...inner, baseURL: 'x' })), 'createProvider('],
  ['chat', () => createModelClient(inner).chat('hi', untyped({ temperature: 1 })), 'options: { temperature }'],
  ['run', () => createModelClient(inner).run('hi', untyped({ abortSignal: 1 })), '"signal"'],
  ['runToolLoop', () => runToolLoop(untyped({ ...inner, maxTurns: 2 }), []), '"maxIterations"'],
])('%s refuses options that nothing reads, and wrong shapes', async (owner, work, hint) => {
  verifies('agent.options.unknownKeys');
  const error = await refusalOf(work);
  expect(error.message).toContain(owner);
  expect(error.hint).toContain(hint);
});

test('an option without a value is absent', () => {
  verifies('agent.options.unknownKeys');
  expect(() => run(untyped({ ...valid, maxTurns: undefined }))).not.toThrow();
});
