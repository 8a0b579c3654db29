import {
  type PreparedCall,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Tool,
  type ToolCall,
  toolResult,
  type Toolset,
  type Approve,
} from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, runTeam, withAsyncPolicy, withHooks, withSelectedTools } from '../../src/index.ts';
import { withClearedResults, withCompaction } from '../../src/index.ts';
import { user } from '../support.ts';

const SAVE: Tool = Object.freeze({
  name: 'save',
  description: 'Saves',
  parameters: { type: 'object' },
  effect: 'write',
});

/** A provider whose methods are inherited and need their instance. */
class ClassProvider implements Provider {
  readonly #inner = scriptedProvider([{ text: '{"city":"Oslo"}' }]);
  get name(): string {
    return this.#inner.name;
  }
  stream(request: ProviderRequest): AsyncIterable<ProviderEvent> {
    return this.#inner.stream(request);
  }
  structuredOutput(): 'schema' | 'text' {
    return this.#inner.name === 'scripted' ? 'schema' : 'text';
  }
  async embed(): Promise<{ embeddings: { index: number; vector: number[] }[] }> {
    return { embeddings: [{ index: this.#inner.streamRequests.length, vector: [1] }] };
  }
}

/** A toolset whose methods are inherited and need their instance. */
class ClassToolset implements Toolset {
  readonly #tools: readonly Tool[] = Object.freeze([SAVE]);
  readonly calls: string[] = [];
  turns = 0;
  list(): readonly Tool[] {
    return this.#tools;
  }
  async listFor(): Promise<readonly Tool[]> {
    this.turns += this.#tools.length;
    return this.#tools;
  }
  subscribe(): () => void {
    return () => void this.#tools;
  }
  prepare(call: ToolCall): PreparedCall {
    return {
      tool: SAVE,
      arguments: call.arguments,
      run: async () => {
        this.calls.push(`${call.name} ${this.#tools.length}`);
        return toolResult('saved');
      },
    };
  }
}

describe('a port that is an instance of a class', () => {
  test.each([
    ['withHooks', (provider: Provider) => withHooks(provider, {})],
    ['withCompaction', (provider: Provider) => withCompaction(provider, { maxTokens: 1_000 })],
    ['withClearedResults', (provider: Provider) => withClearedResults(provider, { keep: 1 })],
  ])('keeps what it inherits in %s', async (_name, wrap) => {
    verifies('agent.wrappers.inherited');
    const provider = wrap(new ClassProvider());
    expect(provider.name).toBe('scripted');
    expect(await provider.embed?.({ model: 'm', input: 'x' })).toMatchObject({ embeddings: [{ index: 0 }] });
    const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const result = await collect(run({ provider, model: 'm', messages: [user('Where?')], output }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Oslo' } });
  });

  test.each([
    ['withHooks', (tools: Toolset) => withHooks(tools, {})],
    ['withAsyncPolicy', (tools: Toolset) => withAsyncPolicy(tools, {})],
    ['withSelectedTools', (tools: Toolset) => withSelectedTools(tools, (all) => all)],
    ['two of them', (tools: Toolset) => withHooks(withAsyncPolicy(tools, {}), {})],
  ])('keeps what it inherits in %s', async (_name, wrap) => {
    verifies('agent.wrappers.inherited');
    const inner = new ClassToolset();
    const tools = wrap(inner);
    const provider = scriptedProvider([{ calls: [{ name: 'save' }] }, { text: 'ok' }]);
    const asked: unknown[] = [];
    const approve: Approve = async ({ call }) => {
      asked.push(call.name);
      return { decision: 'allow' };
    };
    const result = await collect(run({ provider, model: 'm', tools, approve, messages: [user('Save')] }));
    expect(result).toMatchObject({ reason: 'done', answer: 'ok' });
    expect([inner.calls, inner.turns, asked]).toEqual([['save 1'], 2, ['save']]);
    expect(tools.subscribe?.(() => undefined)()).toBeUndefined();
  });

  test('works for typed answers and in a team', async () => {
    verifies('agent.wrappers.inherited');
    const tools = new ClassToolset();
    const answer = { name: 'final_answer', arguments: { city: 'Oslo' } };
    const provider = scriptedProvider([{ calls: [{ name: 'save' }] }, { calls: [answer] }]);
    const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const options = { provider, model: 'm', tools, messages: [user('Go')] };
    expect(await collect(run({ ...options, output }))).toMatchObject({ output: { city: 'Oslo' } });
    const member = scriptedProvider([{ calls: [{ name: 'save' }] }, { text: 'done' }]);
    const members = new Map([['one', { description: 'One', run: { provider: member, model: 'm', tools } }]]);
    const { messages } = options;
    expect(await collect(runTeam({ members, first: 'one', messages }))).toMatchObject({ answer: 'done' });
    expect(tools.calls).toEqual(['save 1', 'save 1']);
  });
});
