import { collect, run } from '@kernel/agent';
import type { AgentEvent } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';

test('the tool of a binding is the very object in the registry, in each request and in each turn-start', async () => {
  verifies('tool.identity');
  const clock = defineTool({
    name: 'clock',
    description: 'Tells the time.',
    input: z.object({}),
    handler: () => '12:00',
  });
  const registry = createRegistry([clock]);
  const provider = scriptedProvider([{ calls: [{ name: 'clock' }] }, { text: 'Noon.' }]);
  const turns: AgentEvent[] = [];
  async function* recorded(events: AsyncIterable<AgentEvent>) {
    for await (const event of events) {
      if (event.type === 'turn-start') turns.push(event);
      yield event;
    }
  }
  const messages = [{ role: 'user', content: 'Time?' }] as const;
  const result = await collect(recorded(run({ provider, model: 'm', messages, tools: registry })));

  expect(result.reason).toBe('done');
  expect(registry.list()[0]).toBe(clock.tool);
  expect(provider.streamRequests).toHaveLength(2);
  for (const request of provider.streamRequests) {
    expect(request.tools?.[0]).toBe(clock.tool);
    expect(request.tools).toBe(registry.list());
  }
  expect(turns).toHaveLength(2);
  for (const turn of turns) expect(turn.type === 'turn-start' && turn.tools[0]).toBe(clock.tool);
});
