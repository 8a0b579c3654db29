// What is kept while something waits: each kind by contender, as a function that makes one and returns what to hold.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages } from '../ours.js';
import { eventsOf, memoryFetch } from '../replies.js';
import { resultOf, TOOLS } from '../tools.js';

const { providers, agent, tools: toolPackage } = await packages('providers', 'agent', 'tools');
const { createProvider } = providers;
const { collect, createMemorySession, run, runSession } = agent;
const { bindTool, createRegistry } = toolPackage;

const MESSAGES = [{ role: 'user', content: 'Go.' }];
const never = () => new Promise(() => {});

/** A provider that answers from memory: a call to begin with if `calls`, then a text of so many deltas. */
function memoryProvider({ calls = false, deltas = 20 }) {
  const call = { id: 'call_1', type: 'function', function: { name: 'tool_1', arguments: '{"a":"value 1","b":1}' } };
  const fetch = memoryFetch((body) =>
    calls && !body.includes('"role":"tool"')
      ? eventsOf('r', { tool_calls: [call] }, 'tool_calls')
      : eventsOf('r', { deltas: Array.from({ length: deltas }, (_, at) => `word ${at} `) }, 'stop'),
  );
  return createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1', fetch, connections: 10_000 });
}

const floorPool = async ({ port, count }) => {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const { createFloor } = await import('../contenders/floor-client.js');
  const { sendOver } = await import('../contenders/floor.js');
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connections: count,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return createFloor(sendOver(pool));
};

const body = () => JSON.stringify({ model: 'm', messages: MESSAGES, stream: true });
const settle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A stream of the provider, read until nothing more comes. */
const openStreams = (path) => ({
  async floor({ port, count }) {
    const floor = await floorPool({ port, count });
    return async () => {
      let text = '';
      const sent = floor.stream(path, body(), (chunk) => (text += chunk.choices[0]?.delta?.content ?? ''));
      await settle(20);
      return [sent, () => text];
    };
  },
  async ours({ port, count }) {
    const provider = createProvider({
      name: 'openai',
      baseUrl: `http://127.0.0.1:${port}${path.replace('/chat/completions', '')}`,
      connections: count,
    });
    return async () => {
      const { signal, ...rest } = new AbortController();
      const reading = (async () => {
        for await (const event of provider.stream({ model: 'm', messages: MESSAGES, signal }))
          if (event.type === 'message-end') break;
      })();
      await settle(20);
      return [reading, rest];
    };
  },
});

/** Runs that wait for what they have been given; a `park`ed one is read up to its first event of that type. */
const runs =
  (options, { park, isSession = false } = {}) =>
  async () => {
    const provider = memoryProvider(options);
    const registry = createRegistry(
      TOOLS.map((tool) => bindTool({ ...tool, effect: options.effect ?? 'read' }, options.handler ?? resultOf)),
    );
    return async () => {
      const given = { provider, model: 'm', messages: MESSAGES, tools: registry, ...options.run };
      const session = isSession ? createMemorySession() : undefined;
      const events = session === undefined ? run(given) : runSession({ ...given, session });
      if (park === undefined) {
        const reading = collect(events);
        await settle(20);
        return [events, reading];
      }
      for (;;) {
        const { value, done } = await events.next();
        if (done || value.type === park) break;
      }
      await settle(20);
      return events;
    };
  };

const both = (ours) => ({ ours, before: ours });
const withBefore = (kind) => ({ ...kind, before: kind.ours });

export const KINDS = {
  'a stream that waits for its reply': withBefore(openStreams('/silent/chat/completions')),
  'a stream in the middle of a reply of 20 deltas': withBefore(openStreams('/half/20/chat/completions')),
  'a stream in the middle of a reply of 500 deltas': withBefore(openStreams('/half/500/chat/completions')),
  'a run that waits for a tool': both(runs({ calls: true, handler: never })),
  'a run that waits for an approval': both(runs({ calls: true, effect: 'write', run: { approve: never } })),
  'a run whose reader stopped, of 500 deltas': both(runs({ deltas: 500 }, { park: 'text-delta' })),
  'a run in a session that waits for a tool': both(runs({ calls: true, handler: never }, { isSession: true })),
  'a memory session of one tool turn': both(async () => {
    const provider = memoryProvider({ calls: true });
    const registry = createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf)));
    return async () => {
      const session = createMemorySession();
      await collect(runSession({ provider, model: 'm', messages: MESSAGES, tools: registry, session }));
      return session;
    };
  }),
  'a file session of one tool turn': both(async () => {
    const { 'file-session.js': file } = await packages('agent/session/file-session.js');
    const folder = mkdtempSync(join(tmpdir(), 'kernel-retained-'));
    process.once('exit', () => rmSync(folder, { recursive: true }));
    const provider = memoryProvider({ calls: true });
    const registry = createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf)));
    let made = 0;
    return async () => {
      const session = await file.openFileSession(join(folder, `${(made += 1)}.jsonl`));
      await collect(runSession({ provider, model: 'm', messages: MESSAGES, tools: registry, session }));
      return session;
    };
  }),
  'a registry of 20 tools that others share': both(async () => {
    const bindings = TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf));
    return async () => createRegistry(bindings);
  }),
  'a registry of 20 tools of its own': both(
    async () => async () => createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf))),
  ),
  'a provider': both(async () => async () => createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1' })),
};
