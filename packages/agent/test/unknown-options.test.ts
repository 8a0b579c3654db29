import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../test/setup/refusal-of.ts';
import { createModelClient, createModelClients } from '../src/client/index.ts';
import { clientFromConfig, clientsFromConfig, fromConfig, providerFromConfig } from '../src/config/index.ts';
import {
  agentAsTool,
  createMemorySession,
  run,
  runSession,
  runTeam,
  withAsyncPolicy,
  withClearedResults,
  withCompaction,
  withHooks,
  withSelectedTools,
} from '../src/index.ts';

/** What a plain JavaScript program may pass. */
const untyped = (value: unknown): never => value as never;
const provider = scriptedProvider([]);
const tools = mockToolset([mockTool('a', 'ok')]);
const valid = { provider, model: 'm', messages: [] };
const inner = { provider, model: 'm' };

describe('run refuses, before anything is sent,', () => {
  test.each([
    ['instructions', 'The options are provider, model'],
    ['apiKey', 'The options are provider, model'],
    ['modle', '"model"'],
    ['color', 'The options are provider, model'],
  ])('the option %s, with the nearest name or all of them', async (key, hint) => {
    verifies('agent.options.unknownKeys');
    const error = await refusalOf(() => run(untyped({ ...valid, [key]: 'sk-1' })));
    expect(error.message).toContain(`there is no option "${key}"`);
    expect(error.hint).toContain(hint);
    expect(error.message + error.hint).not.toContain('sk-1');
  });

  test.each([
    [{ maxTurns: 3 }, 'limits.maxTurns', 'limits.turns'],
    [{ timeout: 3 }, 'limits.timeout', 'limits.timeMs'],
    [{ turn: 3 }, 'limits.turn', 'limits.turns'],
    [{ cost: { max: 1, of: () => 0, currency: 'EUR' } }, 'limits.cost.currency', 'limits.cost.max'],
    [{ onLimit: 'error' }, 'limits.onLimit must be one of "stop", "throw", "answer"', ''],
    [{ cost: { max: 1 } }, 'limits.cost.of must be a function', ''],
    [{ repeats: { stop: -1 } }, 'limits.repeats.stop must be a number of at least 1', ''],
    [{ repeats: { warn: Number.NaN } }, 'limits.repeats.warn must be a number', ''],
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
    [{ ...valid, tools: [{ name: 'a' }] }, 'takes a Toolset, not an array'],
    [{ ...valid, tools: { a: {} } }, 'takes a Toolset, not an object'],
    [{ ...valid, messages: 'hello' }, 'without an array of messages'],
    [{ ...valid, approve: true }, 'a boolean as approve'],
    [{ ...valid, toolChoice: 'any' }, '"any" as its toolChoice'],
    [{ ...valid, toolChoice: { type: 'function', function: { name: 'a' } } }, 'an object as its toolChoice'],
    [{ ...valid, conversation: { chanel: 'a', chatId: 'b' } }, 'conversation.chanel'],
  ])('the wrong shape in %o', async (options, message) => {
    verifies('agent.options.unknownKeys');
    expect((await refusalOf(() => run(untyped(options)))).message).toContain(message);
  });
});

test.each<readonly [string, () => unknown, string]>([
  [
    'runSession',
    () => runSession(untyped({ ...inner, session: createMemorySession(), maxTurns: 1 })),
    'provider, model',
  ],
  ['runSession', () => runSession(untyped(inner)), 'createMemorySession()'],
  ['runTeam', () => runTeam(untyped({ members: new Map(), first: 'a', messages: [], agents: [] })), 'members, first'],
  ['runTeam', () => runTeam(untyped({ members: {}, first: 'a', messages: [] })), 'new Map('],
  [
    'runTeam, member "a"',
    () =>
      runTeam({
        members: new Map([['a', { description: 'A.', run: untyped({ ...inner, instructions: 'x' }) }]]),
        first: 'a',
        messages: [],
      }),
    'run.provider, run.model',
  ],
  [
    'agentAsTool',
    () => agentAsTool(untyped({ name: 'a', description: 'A.', run: inner, model: 'm' })),
    'name, description, run',
  ],
  [
    'agentAsTool, "a"',
    () => agentAsTool({ name: 'a', description: 'A.', run: untyped({ ...inner, messages: [] }) }),
    'run.provider, run.model',
  ],
  ['agentAsTool, "a"', () => agentAsTool(untyped({ name: 'a', description: 'A.' })), 'provider, model'],
  ['withCompaction', () => withCompaction(provider, untyped({})), ''],
  ['withClearedResults', () => withClearedResults(untyped(tools)), 'createProvider('],
  ['withHooks', () => withHooks(provider, untyped({ beforeTool: () => undefined })), 'beforeModel'],
  ['withHooks', () => withHooks(tools, untyped({ onToolCall: () => undefined })), 'beforeTool'],
  ['withAsyncPolicy', () => withAsyncPolicy(untyped([]), {}), 'createRegistry('],
  ['mode must be one of "inject"', () => withAsyncPolicy(tools, untyped({ mode: 'awiat' })), ''],
  ['byTool.a must be one of', () => withAsyncPolicy(tools, { byTool: { a: untyped('awiat') } }), ''],
  ['timeoutMs must be a number', () => withAsyncPolicy(tools, { timeoutMs: Number.NaN }), ''],
  ['keep must be a number of at least 0', () => withClearedResults(provider, { keep: -1 }), ''],
  ['step must be a number of at least 1', () => withClearedResults(provider, { step: 0 }), ''],
  ['keepTokens must be', () => withCompaction(provider, { maxTokens: 9, keepTokens: Number.NaN }), ''],
  ['summarize must be a function', () => withCompaction(provider, { maxTokens: 9, summarize: untyped('x') }), ''],
  ['beforeModel must be a function', () => withHooks(provider, { beforeModel: untyped(5) }), ''],
  ['select must be a function', () => withSelectedTools(tools, untyped({})), ''],
  ['model must be the name of a model', () => createModelClient(untyped({ provider })), ''],
  [
    'capabilities.chatt',
    () => createModelClient(untyped({ ...inner, capabilities: { chatt: {} } })),
    'capabilities.chat',
  ],
  ['a must be a function', () => createModelClients({ a: untyped({}) }), ''],
  ['A config was expected', () => clientFromConfig(untyped({ model: {} }), untyped({})), 'fromConfig'],
  ['A config was expected', () => clientsFromConfig(untyped(fromConfig({})), untyped({})), 'fromConfig'],
  ['createProvider must be a function', () => providerFromConfig(fromConfig({}).config, untyped({})), ''],
  ['createModelClient', () => createModelClient(untyped({ ...inner, baseURL: 'x' })), 'provider, model'],
  ['chat', () => createModelClient(inner).chat('hi', untyped({ temperature: 1 })), 'options, signal'],
  ['run', () => createModelClient(inner).run('hi', untyped({ abortSignal: 1 })), '"signal"'],
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
