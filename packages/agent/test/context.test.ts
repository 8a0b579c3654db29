import { type CallContext, toolResult, type Toolset, type TurnContext } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { agentAsTool, collect, run, runTeam, withHooks } from '../src/index.ts';
import { readAll, user } from './support.ts';

interface App {
  readonly db: { readonly find: (id: string) => string };
  readonly user: string;
}
const model = 'm';
const context: App = { db: { find: (id) => `found ${id}` }, user: 'ada' };

function appTools(seen: unknown[]): Toolset<App> {
  const tool = Object.freeze({
    name: 'find',
    description: '',
    parameters: { type: 'object' },
    effect: 'write' as const,
  });
  const list = Object.freeze([tool]);
  return {
    list: () => list,
    async beginTurn(turn: TurnContext<App>) {
      seen.push(['condition', turn.context?.user]);
    },
    async call(_call, { context: app }: CallContext<App>) {
      seen.push(['handler', app?.user]);
      return toolResult(app?.db.find('7') ?? 'none');
    },
  };
}

describe('the context of a run', () => {
  test('reaches handlers, conditions, hooks, approve and prepareTurn, and no request and no event', async () => {
    verifies('run.context');
    const seen: unknown[] = [];
    const provider = scriptedProvider([{ calls: [{ name: 'find' }] }, { text: 'ok' }]);
    const tools = withHooks(appTools(seen), {
      beforeTool: (_call, { context: app }) => void seen.push(['hook', app?.user]),
    });
    const events = await readAll(
      run<App>({
        provider,
        model,
        messages: [user('Go')],
        tools,
        context,
        approve: ({ context: app }) => {
          seen.push(['approve', app?.user]);
          return { decision: 'allow' };
        },
        prepareTurn: ({ context: app }) => void seen.push(['prepareTurn', app?.user]),
      }),
    );
    expect(new Set(seen.map((entry) => JSON.stringify(entry)))).toEqual(
      new Set(['condition', 'handler', 'hook', 'approve', 'prepareTurn'].map((who) => JSON.stringify([who, 'ada']))),
    );
    expect(JSON.stringify(events)).not.toContain('ada');
    expect(JSON.stringify(provider.streamRequests.map(({ signal: _signal, ...request }) => request))).not.toContain(
      'ada',
    );
    expect(JSON.stringify(events)).toContain('found 7');
  });

  test('reaches the tools of sub-agents, at any depth, and of teams', async () => {
    const seen: unknown[] = [];
    const asToolset = ({ tool, handler }: ReturnType<typeof agentAsTool<App>>): Toolset<App> => ({
      list: () => [tool],
      call: (call, callContext) =>
        handler(JSON.parse(call.arguments), { ...callContext, callId: call.id, toolName: call.name }),
    });
    const callOf = (name: string) =>
      scriptedProvider([{ calls: [{ name, arguments: { task: 't' } }] }, { text: 'ok' }]);
    const inner = agentAsTool<App>({
      name: 'inner',
      description: '',
      run: { provider: callOf('find'), model, tools: appTools(seen) },
    });
    const outer = agentAsTool<App>({
      name: 'outer',
      description: '',
      run: { provider: callOf('inner'), model, tools: asToolset(inner) },
    });
    await collect(run({ provider: callOf('outer'), model, messages: [user('Go')], tools: asToolset(outer), context }));
    expect(seen).toContainEqual(['handler', 'ada']);
    seen.length = 0;
    const members = new Map([
      ['a', { description: '', run: { provider: callOf('find'), model, tools: appTools(seen) } }],
    ]);
    await collect(runTeam({ members, first: 'a', messages: [user('Go')], context }));
    expect(seen).toContainEqual(['handler', 'ada']);
  });

  test('differs between runs of the same tools that go on at once', async () => {
    const seen: unknown[] = [];
    const tools = appTools(seen);
    const start = (name: string) =>
      collect(
        run({
          provider: scriptedProvider([{ calls: [{ name: 'find' }] }, { text: 'ok' }]),
          model,
          messages: [user('Go')],
          tools,
          context: { db: { find: () => `for ${name}` }, user: name },
        }),
      );
    const results = await Promise.all(['ada', 'bob', 'eve'].map(start));
    expect(results.map((result) => result.toolCalls[0]?.result.forLLM)).toEqual(['for ada', 'for bob', 'for eve']);
  });

  test('is typed by the tools', () => {
    const provider = scriptedProvider([]);
    const options = { provider, model, messages: [], tools: appTools([]) };
    run({ ...options, context });
    // @ts-expect-error -- the tools need a database
    run({ ...options, context: { user: 'ada' } });
    run({
      ...options,
      context,
      approve: ({ context: app }) => {
        expectTypeOf(app).toEqualTypeOf<App | undefined>();
        return { decision: 'allow' };
      },
    });
    // Tools that need none take any.
    run({ provider, model, messages: [], tools: mockToolset([mockTool('a', 'x')]), context: 3 });
  });
});
