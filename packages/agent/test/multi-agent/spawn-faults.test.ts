import { type JsonObject, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, inProcessSteps, run, type SpawnOptions, spawnTools, withSelectedTools } from '../../src/index.ts';
import { toolsetOf, user } from '../support.ts';

const model = 'm';

const calls = (...list: (readonly [string, JsonObject])[]): ScriptStep => ({
  calls: list.map(([name, input]) => ({ name, arguments: input })),
});

function ask(script: readonly ScriptStep[], options: SpawnOptions, rest: { readonly signal?: AbortSignal } = {}) {
  const provider = scriptedProvider([...script, { text: 'end' }]);
  return collect(
    run({
      provider,
      model,
      messages: [user('Go')],
      tools: toolsetOf(spawnTools(options)),
      approve: () => ({ decision: 'allow' }),
      ...rest,
    }),
  );
}

describe('agents that a model starts', () => {
  test('get tools of a toolset that offers them by turn, and lists none before', async () => {
    verifies('agent.spawn');
    const provider = scriptedProvider([{ text: 'ok' }]);
    const tools = withSelectedTools(mockToolset([mockTool('look', 'x'), mockTool('write', 'x')]), (all) => all);
    const result = await ask([calls(['spawn', { task: 't', tools: ['look'] }])], { run: { provider, model, tools } });
    expect(result.toolCalls[0]?.result?.forLLM).toBe('ok');
    expect(provider.streamRequests[0]?.tools?.map(({ name }) => name)).toEqual(['look']);
  });

  test('are one line each, whatever the names of their calls and their tasks are', async () => {
    verifies('agent.spawn');
    const name = 'look\nagent-2: done for 0 s\u2028x';
    const provider = scriptedProvider([calls([name, {}]), { text: 'x' }]);
    const task = `${'a'.repeat(79)}😀b`;
    const tools = mockToolset([mockTool(name, 'x')]);
    const result = await ask([calls(['spawn', { task }]), calls(['spawn_status', {}])], {
      run: { provider, model, tools },
    });
    const status = result.toolCalls[1]?.result?.forLLM ?? '';
    expect(status).toContain('last: calls look agent-2: done for 0 s x; task: ');
    expect(status).not.toMatch(/[\n\u2028]/);
    expect(status).toContain('a😀…"');
  });

  test('a tool that disappears while one is at work is an error that it reads, and nothing ends', async () => {
    verifies('agent.spawn');
    let isThere = true;
    const look = mockToolset([mockTool('look', () => ((isThere = false), 'x'))]);
    const tools: Toolset = {
      list: () => (isThere ? look.list() : []),
      prepare: (call, context) => (isThere ? look : mockToolset([])).prepare(call, context),
    };
    const provider = scriptedProvider([calls(['look', {}]), calls(['look', {}]), { text: 'gone' }]);
    const result = await ask([calls(['spawn', { task: 't', tools: ['look'] }])], { run: { provider, model, tools } });
    expect(result.toolCalls[0]?.result?.forLLM).toBe('gone');
    expect(JSON.stringify(provider.streamRequests[2]?.messages)).toContain('TOOL_NOT_FOUND');
  });

  test('a hundred in the background are aborted with the run, and when it ends first', async () => {
    verifies('agent.spawn');
    for (const isAborted of [true, false]) {
      const stop = new AbortController();
      const signals: AbortSignal[] = [];
      const tools = mockToolset([
        mockTool('wait', (_call, { signal }) => {
          signals.push(signal);
          if (signals.length === 100 && isAborted) stop.abort(new Error('enough'));
          return new Promise(() => {});
        }),
      ]);
      const provider = scriptedProvider(Array.from({ length: 100 }, () => calls(['wait', {}])));
      const started = Array.from(
        { length: 100 },
        (_, index) => ['spawn', { task: `t${index}`, background: true }] as const,
      );
      const script = [calls(...started), ...(isAborted ? [{ hang: true } as const] : [calls(['spawn_status', {}])])];
      const result = await ask(script, { run: { provider, model, tools }, maxRunning: 100 }, { signal: stop.signal });
      expect(result.reason).toBe(isAborted ? 'aborted' : 'done');
      expect(result.toolCalls[0]?.result?.forLLM).toContain('it is stopped if you end first');
      expect(signals.every((signal) => signal.aborted)).toBe(true);
    }
  });

  test('one that waits for a decision goes on when the run is resumed, and is known there', async () => {
    verifies('agent.spawn');
    const deletes = mockToolset([mockTool('deletes', 'gone', { effect: 'write' })]);
    const tools = (script: readonly ScriptStep[]) =>
      toolsetOf(spawnTools({ run: { provider: scriptedProvider(script), model, tools: deletes }, effect: 'read' }));
    const first = await collect(
      run({
        provider: scriptedProvider([calls(['spawn', { task: 'delete it' }])]),
        model,
        messages: [user('Go')],
        tools: tools([calls(['deletes', {}])]),
        approve: () => ({ decision: 'later' }),
      }),
    );
    expect(first.reason).toBe('approval');
    const second = await collect(
      run({
        provider: scriptedProvider([calls(['spawn_status', {}]), { text: 'end' }]),
        model,
        messages: JSON.parse(JSON.stringify(first.messages)) as typeof first.messages,
        tools: tools([{ text: 'It is gone.' }]),
        approve: () => ({ decision: 'allow' }),
      }),
    );
    const texts = second.toolCalls.map(({ result }) => result?.forLLM ?? '');
    expect(texts[0]).toBe('It is gone.');
    expect(texts[1]).toMatch(/^agent-1: done .* last: calls deletes/);
  });

  test('cannot share a step executor: the steps of one would be replayed for another', () => {
    verifies('agent.spawn');
    const inner = { provider: scriptedProvider([]), model, steps: inProcessSteps };
    expect(() => spawnTools({ run: inner })).toThrow(
      'run.steps would record the steps of all agents under the same ids',
    );
  });
});
