import { type JsonObject, textOf, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, type SpawnOptions, spawnTools } from '../../src/index.ts';
import { toolsetOf, user } from '../support.ts';

const model = 'm';
const usage = { inputTokens: 10, outputTokens: 1 };

const calls = (...list: (readonly [string, JsonObject])[]): ScriptStep => ({
  calls: list.map(([name, input]) => ({ name, arguments: input })),
  usage,
});

/** Runs a script over spawn tools whose agents follow another script, and returns the results of the calls by their text. */
async function results(
  script: readonly ScriptStep[],
  agent: readonly ScriptStep[],
  options: Partial<SpawnOptions> = {},
) {
  const inner = scriptedProvider(agent);
  const tools = toolsetOf(spawnTools({ run: { provider: inner, model, ...options.run }, ...rest(options) }));
  const result = await collect(
    run({ provider: scriptedProvider([...script, { text: 'end', usage }]), model, messages: [user('Go')], tools }),
  );
  return { result, inner, texts: result.toolCalls.map((call) => call.result?.forLLM ?? '') };
}

function rest({ maxDepth, maxRunning, effect }: Partial<SpawnOptions>) {
  return { maxDepth, maxRunning, effect };
}

const hanging: ScriptStep = { hang: true };
const inner = { provider: scriptedProvider([]), model };

describe('spawnTools', () => {
  test('an agent gets its task alone, answers the call, and its usage is added', async () => {
    verifies('agent.spawn');
    const {
      texts,
      result,
      inner: provider,
    } = await results([calls(['spawn', { task: 'Count the files.' }])], [{ text: 'Three.', usage }]);
    expect(texts).toEqual(['Three.']);
    expect(provider.streamRequests[0]?.messages.map(textOf)).toEqual(['Count the files.']);
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  });

  test('a call chooses among the tools and cannot add one', async () => {
    const tools = mockToolset([mockTool('read_file', 'x'), mockTool('write_file', 'x')]);
    const { texts, inner: provider } = await results(
      [
        calls(['spawn', { task: 'Read.', tools: ['read_file'] }]),
        calls(['spawn', { task: 'Write.', tools: ['write_fil'] }]),
      ],
      [{ text: 'Read it.', usage }],
      { run: { ...inner, tools, provider: scriptedProvider([{ text: 'Read it.', usage }]) } },
    );
    expect(provider.streamRequests).toEqual([]);
    expect(texts[0]).toBe('Read it.');
    expect(texts[1]).toContain('An agent cannot have the tool "write_fil". Did you mean "write_file"?');
  });

  test('a tool that was not chosen is not offered to the agent', async () => {
    const tools = mockToolset([mockTool('read_file', 'x'), mockTool('write_file', 'x')]);
    const provider = scriptedProvider([{ text: 'ok', usage }]);
    await results([calls(['spawn', { task: 'Read.', tools: ['read_file'] }])], [], {
      run: { provider, model, tools },
    });
    expect(provider.streamRequests[0]?.tools?.map((tool) => tool.name)).toEqual(['read_file']);
  });

  test('a call lowers the limits of its agent and cannot raise them', async () => {
    const tools = mockToolset([mockTool('look', 'x')]);
    const steps = (count: number) => Array.from({ length: count }, (_, index) => calls(['look', { index }]));
    const lowered = scriptedProvider(steps(5));
    await results([calls(['spawn', { task: 't', turns: 2 }])], [], { run: { provider: lowered, model, tools } });
    expect(lowered.streamRequests).toHaveLength(2);
    const capped = scriptedProvider(steps(5));
    await results([calls(['spawn', { task: 't', turns: 9, tokens: 1_000_000 }])], [], {
      run: { provider: capped, model, tools, limits: { turns: 3, tokens: 1_000 } },
    });
    expect(capped.streamRequests).toHaveLength(3);
  });

  test('an agent in the background is looked at, and stopped', async () => {
    const { texts } = await results(
      [
        calls(['spawn', { task: 'Wait for ever.', background: true }]),
        calls(['spawn_status', {}]),
        calls(['spawn_stop', { id: 'agent-1' }]),
        calls(['spawn_status', { id: 'agent-1' }]),
        calls(['spawn_stop', { id: 'agent-1' }], ['spawn_status', { id: 'agent-7' }]),
      ],
      [hanging],
    );
    expect(texts[0]).toContain('agent-1 has begun');
    expect(texts[1]).toBe('agent-1: running for 0 s, no calls; task: "Wait for ever."');
    expect(texts[2]).toBe('agent-1 is being stopped.');
    expect(texts[3]).toContain('agent-1: stopped');
    expect(texts[4]).toContain('there was nothing to stop');
    expect(texts[5]).toBe('There is no agent "agent-7". Known: agent-1.');
  });

  test('only so many are at work at once', async () => {
    const { texts } = await results(
      [
        calls(
          ['spawn', { task: 'one', background: true }],
          ['spawn', { task: 'two', background: true }],
          ['spawn', { task: 'three', background: true }],
        ),
      ],
      [hanging, hanging, hanging],
      { maxRunning: 2 },
    );
    expect(texts.filter((text) => text.includes('has begun'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('2 agents are at work'))).toHaveLength(1);
  });

  test('runs that share the tools do not see the agents of each other', async () => {
    const tools = toolsetOf(spawnTools({ run: { provider: scriptedProvider([{ text: 'a' }]), model } }));
    const ask = (...script: ScriptStep[]) =>
      collect(run({ provider: scriptedProvider([...script, { text: 'end' }]), model, messages: [user('Go')], tools }));
    await ask(calls(['spawn', { task: 'mine' }]));
    const other = await ask(calls(['spawn_status', {}]));
    expect(other.toolCalls[0]?.result?.forLLM).toBe('No agent has been started.');
  });

  test('agents start agents down to the depth that is allowed', async () => {
    const provider = scriptedProvider([
      calls(['spawn', { task: 'deeper' }]),
      calls(['spawn', { task: 'too deep' }]),
      { text: 'inner' },
      { text: 'outer' },
    ]);
    // The agents get the tools that start them.
    const own: { tools?: Toolset } = {};
    const lazy: Toolset = {
      list: () => own.tools?.list() ?? [],
      prepare: (call, context) => own.tools?.prepare(call, context) ?? { forLLM: '' },
    };
    own.tools = toolsetOf(spawnTools({ run: { provider, model, tools: lazy }, maxDepth: 3 }));
    const result = await collect(
      run({
        provider: scriptedProvider([calls(['spawn', { task: 'deep' }]), { text: 'end' }]),
        model,
        messages: [user('Go')],
        tools: own.tools,
      }),
    );
    expect(result.toolCalls[0]?.result?.forLLM).toBe('outer');
    expect(provider.streamRequests.at(-2)?.messages.map(textOf).join('\n')).toContain('the limit is 3');
  });

  test('refuses options that cannot be meant', () => {
    // @ts-expect-error The provider belongs into `run`.
    void (() => spawnTools({ provider: inner.provider, run: inner }));
    expect(() => spawnTools({ run: inner, maxRunning: 0 })).toThrow('maxRunning');
  });
});
