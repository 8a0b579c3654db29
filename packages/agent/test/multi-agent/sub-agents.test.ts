import { textOf, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import {
  addCallUsage,
  agentAsTool,
  type AgentBinding,
  type AgentAsToolOptions,
  collect,
  run,
  runTeam,
} from '../../src/index.ts';
import { endOf, expectSound, readAll, toolsetOf, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const model = 'm';
const usage = { inputTokens: 10, outputTokens: 1 };

const subAgent = (script: readonly ScriptStep[], rest: Partial<AgentAsToolOptions> & { tools?: Toolset } = {}) => {
  const { tools, ...options } = rest;
  const provider = scriptedProvider(script);
  return {
    provider,
    tool: agentAsTool({ name: 'helper', description: 'Helps.', run: { provider, model, tools }, ...options }),
  };
};
const caller = (...texts: string[]) =>
  scriptedProvider([
    { calls: [{ name: 'helper', arguments: { task: 'Do it.' } }], usage },
    ...texts.map((text) => ({ text, usage })),
  ]);

describe('agentAsTool', () => {
  test('answers with what its own run answers, and its usage is added up', async () => {
    const { provider, tool } = subAgent([{ text: 'Did it.', usage }]);
    const result = await collect(
      run({ provider: caller('Thanks.'), model, messages: [user('Go')], tools: toolsetOf([tool]) }),
    );
    expect(provider.streamRequests[0]?.messages).toEqual([user('Do it.')]);
    expect(result.messages.map(textOf)).toEqual(['Go', '', 'Did it.', 'Thanks.']);
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  });

  test('what a handler has used by itself is added up, and counts for the limits of the run', async () => {
    verifies('agent.loop.usage');
    const pay = mockTool('pay', () => {
      addCallUsage({ inputTokens: 100, outputTokens: 2 });
      return 'Paid.';
    });
    const provider = scriptedProvider([
      { calls: [{ name: 'pay' }], usage },
      { text: 'ok', usage },
    ]);
    const options = { provider, model, messages: [user('Go')], tools: mockToolset([pay]), limits: { tokens: 100 } };
    addCallUsage(usage);
    const { reason, usage: used } = await collect(run(options));
    expect({ reason, used }).toEqual({ reason: 'limit', used: { inputTokens: 110, outputTokens: 3 } });
  });

  test('a run without an answer is a failed result with its reason', async () => {
    const tools = mockToolset([mockTool('a', 'x')]);
    const sub = agentAsTool({
      name: 'helper',
      description: '',
      run: {
        provider: scriptedProvider([{ text: 'Hm.', calls: [{ name: 'a' }] }]),
        model,
        tools,
        limits: { turns: 1 },
      },
    });
    const result = await collect(
      run({ provider: caller('ok'), model, messages: [user('Go')], tools: toolsetOf([sub]) }),
    );
    expect(result.toolCalls[0]?.result).toMatchObject({
      isError: true,
      forLLM: '"helper" ended without an answer (limit: turns). Its calls until then: a (done). So far: Hm.',
    });
  });

  test('is aborted with the caller', async () => {
    const stop = new AbortController();
    const { tool } = subAgent([{ text: 'x', hang: true }]);
    setTimeout(() => stop.abort(), 10);
    const result = await collect(
      run({ provider: caller(), model, messages: [user('Go')], tools: toolsetOf([tool]), signal: stop.signal }),
    );
    expect(result.reason).toBe('aborted');
    expectSound(result.messages);
  });

  test('that does not come to its end says what it had done and said', async () => {
    verifies('agents.unfinished');
    const tools = mockToolset([mockTool('saves', 'saved'), mockTool('waits', { hangs: 'until-abort' })]);
    const found = { text: 'Line 3 is wrong.', calls: [{ name: 'saves' }] };
    const broken = subAgent([found], { tools });
    const failed = await collect(
      run({ provider: caller('ok'), model, messages: [user('Go')], tools: toolsetOf([broken.tool]) }),
    );
    expect(failed.toolCalls[0]?.result).toMatchObject({
      isError: true,
      forLLM: expect.stringMatching(/Its calls until then: saves \(done\)\. So far: Line 3 is wrong\.$/),
    });
    const stop = new AbortController();
    const { tool } = subAgent([found, { calls: [{ name: 'waits' }] }], { tools });
    const events = run({
      provider: caller(),
      model,
      messages: [user('Go')],
      tools: toolsetOf([tool]),
      signal: stop.signal,
    });
    const stopped = await collect(
      (async function* aborting() {
        for await (const event of events) {
          if (
            event.type === 'sub-agent-event' &&
            event.event.type === 'tool-start' &&
            event.event.call.name === 'waits'
          )
            stop.abort();
          yield event;
        }
      })(),
    );
    expect(stopped.toolCalls[0]?.result.forLLM).toMatch(
      /"helper" was stopped\. Its calls until then: saves \(done\), waits \(.+\)\. So far: Line 3 is wrong\.$/,
    );
  });

  test("asks the caller's approve about its own calls", async () => {
    const asked: string[] = [];
    const tools = mockToolset([mockTool('delete_all', 'gone', { effect: 'write' })]);
    const { tool } = subAgent([{ calls: [{ name: 'delete_all' }] }, { text: 'I may not.' }], { tools });
    const approve = ({ call }: { call: { name: string } }) => {
      asked.push(call.name);
      return call.name === 'helper' ? ({ decision: 'allow' } as const) : ({ decision: 'deny', reason: 'no' } as const);
    };
    await collect(run({ provider: caller('ok'), model, messages: [user('Go')], tools: toolsetOf([tool]), approve }));
    expect(asked).toEqual(['helper', 'delete_all']);
    expect(tools.calls).toHaveLength(0);
  });

  test('refuses to go deeper than three agents', async () => {
    const deep = (level: number): AgentBinding =>
      agentAsTool({
        name: 'helper',
        description: '',
        run: {
          provider: caller(`level ${level}`),
          model,
          tools: toolsetOf([level === 5 ? subAgent([]).tool : deep(level + 1)]),
        },
      });
    const events = await readAll(
      run({ provider: caller('top'), model, messages: [user('Go')], tools: toolsetOf([deep(2)]) }),
    );
    expect(endOf(events)).toMatchObject({ reason: 'done', answer: 'top' });
    // Two levels below the first have answered; the fourth was refused.
    expect(JSON.stringify(endOf(events).usage)).toBe(JSON.stringify({ inputTokens: 60, outputTokens: 6 }));
  });
});

describe('runTeam', () => {
  test('hands the conversation over with its history, under the other member’s prompt and tools', async () => {
    const sales = scriptedProvider([{ text: 'One moment.', calls: [{ name: 'hand_off_to_support' }], usage }]);
    const support = scriptedProvider([{ text: 'Have you tried turning it off?', usage }]);
    const members = new Map([
      ['sales', { description: 'Sells.', run: { provider: sales, model, system: 'You sell.' } }],
      ['support', { description: 'Repairs.', run: { provider: support, model, system: 'You repair.' } }],
    ]);
    const events = await readAll(runTeam({ members, first: 'sales', messages: [user('It is broken.')] }));
    const end = endOf(events);
    expect(end).toMatchObject({
      reason: 'done',
      answer: 'Have you tried turning it off?',
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 2 },
    });
    expectSound(end.messages);
    expect(support.streamRequests[0]?.messages.map(textOf)).toEqual([
      'You repair.',
      'It is broken.',
      'One moment.',
      'Handed over to support.',
    ]);
    expect(sales.streamRequests[0]?.tools?.map(({ name }) => name)).toEqual(['hand_off_to_support']);
  });

  test('an unknown first member throws with the names that exist', async () => {
    await expect(readAll(runTeam({ members: new Map(), first: 'x', messages: [] }))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

describe('in virtual time', () => {
  skipTime();

  describe('agentAsTool', () => {
    test('in the background it returns at once, and its outcome and usage follow', async () => {
      const { tool } = subAgent([{ text: 'Did it.', usage, delayMs: 5 }], { background: true });
      const provider = scriptedProvider([
        { calls: [{ name: 'helper', arguments: { task: 'Do it.' } }] },
        { text: 'It has begun.', delayMs: 30 },
        { text: 'It is done.' },
      ]);
      const result = await collect(run({ provider, model, messages: [user('Go')], tools: toolsetOf([tool]) }));
      expect(result).toMatchObject({ reason: 'done', answer: 'It is done.', usage });
      expect(result.messages.map(textOf).at(-2)).toContain('is done:\nDid it.');
    });
  });
});
