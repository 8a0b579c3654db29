import { inspect } from 'node:util';
import { type CallContext, type Provider, toolResult, type Toolset, type TurnContext } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { agentAsTool, collect, run, runTeam, withHooks } from '../src/index.ts';
import { readAll, toolsetOf, user } from './support.ts';

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
  return toToolset({
    list: () => list,
    async listFor(turn: TurnContext<App>) {
      seen.push(['condition', turn.context?.user]);
      return list;
    },
    async call(_call, { context: app }: CallContext<App>) {
      seen.push(['handler', app?.user]);
      return toolResult(app?.db.find('7') ?? 'none');
    },
  });
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

  test('reaches the hooks of a provider, each that of its own run, also in a request that a hook changed', async () => {
    verifies('run.context');
    const seen: unknown[] = [];
    const inner = scriptedProvider([{ text: 'ok', pieces: 3 }], { repeat: true });
    const noting = (who: string, next: Provider): Provider =>
      withHooks<App>(next, {
        beforeModel: ({ model: name, messages }, { context: app }) => {
          seen.push([`${who} before`, app?.user]);
          return { action: 'change', request: { model: name, messages } };
        },
        afterModel: (_end, _request, { context: app }) => void seen.push([`${who} after`, app?.user]),
      });
    const provider = noting('outer', noting('inner', inner));
    const start = (user_: string) =>
      collect(run({ provider, model, messages: [user('Go')], context: { ...context, user: user_ } }));
    await Promise.all([start('ada'), start('bob'), collect(run({ provider, model, messages: [user('Go')] }))]);
    for (const who of ['ada', 'bob', undefined])
      expect(
        seen.filter((entry) => Array.isArray(entry) && entry[1] === who).map((entry) => (entry as string[])[0]),
      ).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
    expect(inspect(inner.streamRequests, { depth: 10, showHidden: true })).not.toMatch(/ada|bob/);
  });

  test('is typed for the hooks of a provider', () => {
    const provider = scriptedProvider([]);
    withHooks<App>(provider, { beforeModel: () => ({ action: 'stop', answer: 'No.' }) });
    withHooks<App>(provider, {
      afterModel: (_end, _request, run_) => expectTypeOf(run_.context).toEqualTypeOf<App | undefined>() as never,
    });
    withHooks(provider, {
      beforeModel: (_request, run_: { readonly context?: App | undefined }) => void run_.context?.user,
    });
    withHooks(provider, {
      beforeModel: (_request, { context: app }) => expectTypeOf(app).toEqualTypeOf<unknown>() as never,
    });
    expect(provider.requests).toHaveLength(0);
  });

  test('of an agent without one is not that of a run around it', async () => {
    const seen: unknown[] = [];
    const inner = withHooks(scriptedProvider([{ text: 'ok' }]), {
      beforeModel: (_request, run_) => void seen.push(run_.context),
    });
    const outer = withHooks(scriptedProvider([{ text: 'ok' }]), {
      beforeModel: async () => {
        await collect(run({ provider: inner, model, messages: [user('Go')] }));
      },
    });
    await collect(run({ provider: outer, model, messages: [user('Go')], context }));
    expect(seen).toEqual([undefined]);
  });

  test('reaches the tools of sub-agents, at any depth, and of teams', async () => {
    const seen: unknown[] = [];
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
      run: { provider: callOf('inner'), model, tools: toolsetOf([inner]) },
    });
    await collect(
      run({ provider: callOf('outer'), model, messages: [user('Go')], tools: toolsetOf([outer]), context }),
    );
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
