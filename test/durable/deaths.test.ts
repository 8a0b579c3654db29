import type { AgentEvent, Message, Provider, ToolResult, Toolset } from '@kernel/protocol';
import { createMemoryJournal, type MemoryJournal, scriptedProvider, type ScriptStep, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, test } from 'vitest';
import { agentAsTool, collect, createSteering, run, runTeam, tapEvents, withSelectedTools } from '@kernel/agent';

/** What happened in all attempts at a run together. */
interface World {
  /** How often the handler of each call was entered, by idempotency key. */
  readonly entered: Map<string, string[]>;
}

type Events = AsyncGenerator<AgentEvent, void>;
type Agent = (world: World, steps: MemoryJournal) => Events;

const object = { type: 'object' } as const;
const model = 'm';

function tools({ entered }: World, names = ['look', 'pay', 'set']): Toolset {
  const effects = { look: 'read', pay: 'external', set: 'idempotent' } as const;
  const bindings = names.map((name) =>
    bindTool(
      { name, description: name, parameters: object, effect: effects[name as keyof typeof effects] },
      (_: unknown, { idempotencyKey = '', callId }) => {
        entered.set(callId, [...(entered.get(callId) ?? []), idempotencyKey]);
        return `${name} done`;
      },
    ),
  );
  return createRegistry(bindings);
}

/** A model without a memory of its own: its reply depends on how many replies are in the history, as that of a real one would. */
function modelOf(script: readonly ScriptStep[]): Provider {
  return {
    name: 'scripted',
    stream(request) {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      return scriptedProvider(script.slice(turn, turn + 1)).stream(request);
    },
  };
}

const call = (name: string, id: string, args: object = {}) => ({ name, id, arguments: JSON.stringify(args) });
const SCRIPT: readonly ScriptStep[] = [
  { calls: [call('look', 'l1'), call('pay', 'p1'), call('set', 's1')] },
  { calls: [call('pay', 'p2')] },
  { text: 'ok' },
];
const allow = () => ({ decision: 'allow' }) as const;
const messages = [{ role: 'user', content: 'Go' }] as const;

const AGENTS: Readonly<Record<string, Agent>> = {
  plain: (world, steps) =>
    run({ provider: modelOf(SCRIPT), model, messages, tools: tools(world), approve: allow, steps, runId: 'r' }),
  'with chosen tools': (world, steps) => {
    const selected = withSelectedTools(tools(world), (list, { turn }) =>
      list.filter(({ name }) => turn < 2 || name === 'pay'),
    );
    return run({ provider: modelOf(SCRIPT), model, messages, tools: selected, approve: allow, steps, runId: 'r' });
  },
  'with sub-agents': (world, steps) => {
    const inner = agentAsTool({
      name: 'helper',
      description: 'Helps.',
      run: { provider: modelOf(SCRIPT), model, tools: tools(world) },
    });
    const script = [{ calls: [call('helper', 'h', { task: 'work' }), call('pay', 'p3')] }, { text: 'helped' }];
    const registry = createRegistry([inner]);
    registry.mount('', tools(world, ['pay']));
    return run({ provider: modelOf(script), model, messages, tools: registry, approve: allow, steps, runId: 'r' });
  },
  'in a team': (world, steps) =>
    runTeam({
      first: 'a',
      messages,
      steps,
      approve: allow,
      runId: 'r',
      members: new Map([
        [
          'a',
          {
            description: 'a',
            run: {
              model,
              tools: tools(world),
              provider: modelOf([{ calls: [call('pay', 'p1')] }, { calls: [call('hand_off_to_b', 'x')] }]),
            },
          },
        ],
        [
          'b',
          {
            description: 'b',
            run: {
              model,
              tools: tools(world),
              provider: modelOf([{}, {}, { calls: [call('pay', 'p2'), call('look', 'l1')] }, { text: 'ok' }]),
            },
          },
        ],
      ]),
    }),
  'that is steered': (world, steps) => {
    const steering = createSteering();
    // What a run took in a step that was recorded is gone.
    if (!steps.entries.has('inbox:3')) steering.followUp('And then?');
    const script = [...SCRIPT.slice(0, 2), { text: 'first' }, { calls: [call('pay', 'p3')] }, { text: 'ok' }];
    return run({
      provider: modelOf(script),
      model,
      messages,
      tools: tools(world),
      approve: allow,
      steps,
      steering,
      runId: 'r',
    });
  },
};

/** Runs until an attempt is not killed: the first dies at `dieAt`, the next one lives on. */
async function attempts(agent: Agent, dieAt: number, world: World) {
  const first = createMemoryJournal({ dieAt });
  const results = new Map<string, ToolResult>();
  const attempt = async (steps: MemoryJournal) => {
    const record = (event: AgentEvent): void => {
      const inner = event.type === 'sub-agent-event' ? event.event : event;
      if (inner.type === 'tool-end') results.set(inner.call.id, inner.result);
    };
    return collect(tapEvents(agent(world, steps), [record]));
  };
  const result = await attempt(first);
  if (!first.isDead) return { result, results, points: first.points };
  results.clear();
  return { result: await attempt(createMemoryJournal({ entries: first.entries })), results, points: first.points };
}

/** The history without what the results of calls say. */
function outline(history: readonly Message[]): unknown[] {
  return history.map((each) => (each.role === 'tool' ? [each.role, each.name, each.toolCallId] : each));
}

describe.each(Object.entries(AGENTS))('an agent %s', (_, agent) => {
  test('loses nothing and repeats nothing, wherever its process dies', async () => {
    verifies('durable.deaths');
    const whole: World = { entered: new Map() };
    const reference = await attempts(agent, Infinity, whole);
    expect(reference.result.reason).toBe('done');
    expect(reference.points).toBeGreaterThan(10);
    let unknown = 0;
    for (let dieAt = 1; dieAt <= reference.points; dieAt += 1) {
      const world: World = { entered: new Map() };
      // oxlint-disable-next-line no-await-in-loop -- one death after the other
      const { result, results } = await attempts(agent, dieAt, world);
      expect([dieAt, result.reason]).toEqual([dieAt, 'done']);
      expect(outline(result.messages)).toEqual(outline(reference.result.messages));
      for (const [id, [key]] of whole.entered) {
        const keys = world.entered.get(id) ?? [];
        const isUnknown = results.get(id)?.code === 'OUTCOME_UNKNOWN';
        unknown += isUnknown ? 1 : 0;
        expect({ id, keys: [...new Set([...keys, key])] }).toEqual({ id, keys: [key] });
        const isPayment = id.startsWith('p');
        const isSound = isPayment ? keys.length === 1 || (keys.length === 0 && isUnknown) : keys.length >= 1;
        expect({ dieAt, id, keys, isSound }).toEqual({ dieAt, id, keys, isSound: true });
      }
    }
    expect(unknown).toBeGreaterThan(0);
  });
});
