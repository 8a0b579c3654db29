import type { AgentEvent, SubAgentEvent, Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { agentAsTool, type AgentAsToolOptions, collect, run } from '../../src/index.ts';
import { endOf, readAll, toolsetOf, user } from '../support.ts';

const model = 'm';

const agent = (name: string, script: readonly ScriptStep[], tools: Toolset, rest: Partial<AgentAsToolOptions> = {}) =>
  toolsetOf([
    agentAsTool({ name, description: '', run: { provider: scriptedProvider(script), model, tools }, ...rest }),
  ]);
const calling = (name: string, id: string, text: string): ScriptStep[] => [
  { calls: [{ name, id, arguments: { task: 't' } }] },
  { text, pieces: 2 },
];
const innerOf = (events: readonly AgentEvent[]): SubAgentEvent[] =>
  events.filter((event) => event.type === 'sub-agent-event');

describe('events of sub-agents', () => {
  test('come through with the path of names and calls, at every depth', async () => {
    verifies('agents.events');
    const look = mockToolset([mockTool('look', 'x')]);
    const writer = agent('writer', [{ calls: [{ name: 'look', id: 'c9' }] }, { text: 'Wrote.' }], look);
    const research = agent('research', calling('writer', 'c5', 'Found.'), writer);
    const provider = scriptedProvider(calling('research', 'call_3', 'Done.'));
    const events = await readAll(run({ provider, model, messages: [user('Go')], tools: research }));
    const paths = new Set(innerOf(events).map(({ path }) => path.join(' ')));
    expect(paths).toEqual(new Set(['research call_3', 'research call_3 writer c5']));
    const texts = innerOf(events).flatMap(({ path, event }) =>
      event.type === 'text-delta' ? [`${path[path.length - 2]}: ${event.text}`] : [],
    );
    expect(texts).toEqual(['writer: Wrote.', 'research: Fou', 'research: nd.']);
    expect(innerOf(events).filter(({ event }) => event.type === 'run-end')).toHaveLength(2);
    expect(innerOf(events).some(({ event }) => event.type === 'sub-agent-event')).toBe(false);
    // A reader that knows nothing of them sees one run: its text, and one end, last.
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe('Done.');
    expect(endOf(events).reason).toBe('done');
    expect((await collect(toEvents(events))).toolCalls).toHaveLength(1);
  });

  test('arrive between the start and the end of their call, while the agent runs', async () => {
    const research = agent('research', [{ text: 'Found.' }], mockToolset([]));
    const provider = scriptedProvider(calling('research', 'call_3', 'Done.'));
    const types = (await readAll(run({ provider, model, messages: [user('Go')], tools: research }))).map(
      (event) => event.type,
    );
    const inner = types.flatMap((type, index) => (type === 'sub-agent-event' ? [index] : []));
    expect(Math.min(...inner)).toBeGreaterThan(types.indexOf('tool-start'));
    expect(Math.max(...inner)).toBeLessThan(types.indexOf('tool-end'));
  });

  test('are left out with events: false', async () => {
    const research = agent('research', [{ text: 'Found.' }], mockToolset([]), { events: false });
    const provider = scriptedProvider(calling('research', 'call_3', 'Done.'));
    expect(innerOf(await readAll(run({ provider, model, messages: [user('Go')], tools: research })))).toEqual([]);
  });

  test('wait for a slow reader', async () => {
    const research = agent('research', [{ text: 'x'.repeat(500), pieces: 500 }], mockToolset([]));
    const provider = scriptedProvider(calling('research', 'call_3', 'Done.'));
    const events = run({ provider, model, messages: [user('Go')], tools: research });
    let count = 0;
    for await (const event of events) {
      if (event.type === 'sub-agent-event') count += 1;
      if (count === 10) break;
    }
    // Leaving ends both runs.
    expect((await events.next()).done).toBe(true);
  });
});

async function* toEvents(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}
