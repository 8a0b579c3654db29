import { agentAsTool, createMemorySession, run, type RunOptions, runSession } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import { connectMcp, serveHttp } from '@kernel/mcp';
import type { AgentEvent, Message, Provider, Toolset } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { soakTools } from './tools.ts';

/** What a scenario runs with. */
export interface Stage {
  /** The provider of the current wire; for a reply that stalls, one with short timeouts. */
  readonly provider: Provider;
  /** Counts the scenarios of the process. */
  readonly number: number;
  /** Whether replies are streamed. */
  readonly stream: boolean;
}

/** Runs one scenario and returns how it ended. */
type Scenario = (stage: Stage) => Promise<string>;

const tools = soakTools();
const limits = { turns: 5, timeMs: 60_000 };

/** Each kind of prompt, how its run may end, and its scenario. */
export const SCENARIOS: readonly (readonly [kind: string, ends: readonly string[], play: Scenario])[] = [
  ['plain', ['done'], played('plain')],
  ['parallel', ['done'], played('parallel')],
  ['broken', ['loop', 'limit', 'done'], played('broken')],
  ['cut', ['error', 'limit'], played('cut')],
  ['reset', ['error', 'limit'], played('reset')],
  ['stall', ['error', 'limit'], played('stall')],
  ['refused', ['error'], played('refused')],
  ['garbage', ['error'], played('garbage')],
  ['a tool that hangs', ['limit'], played('hangs', { limits: { ...limits, timeMs: 100 } })],
  ['allowed', ['done'], played('asks', { approve: () => ({ decision: 'allow' }) })],
  ['denied', ['loop', 'limit'], played('asks', { approve: () => ({ decision: 'deny', reason: 'No.' }) })],
  ['aborted', ['aborted', 'done'], aborted],
  ['abandoned', ['abandoned'], abandoned],
  ['a session', ['done'], inSession],
  ['an agent within a call', ['done'], withAgent],
  ['over MCP', ['done'], overMcp],
  ['in a journal', ['done'], inJournal],
];

function prompt(kind: string, { number }: Stage): readonly Message[] {
  return [{ role: 'user', content: `Ask for ${kind} ${number}.` }];
}

function optionsOf(kind: string, stage: Stage): RunOptions {
  const { provider, stream } = stage;
  return { provider, stream, model: 'a-model', messages: prompt(kind, stage), tools, limits };
}

function played(kind: string, more: Partial<RunOptions> = {}): Scenario {
  return (stage) => endOf(run({ ...optionsOf(kind, stage), ...more }));
}

async function aborted(stage: Stage): Promise<string> {
  const stop = new AbortController();
  let events = 0;
  return endOf(run({ ...optionsOf('plain', stage), signal: stop.signal }), () => {
    events += 1;
    if (events === stage.number % 40) stop.abort(new Error('Stopped by the soak.'));
  });
}

async function abandoned(stage: Stage): Promise<string> {
  let events = 0;
  for await (const event of run(optionsOf('plain', stage))) {
    events += 1;
    if (event.type === 'run-end' || events > stage.number % 12) break;
  }
  return 'abandoned';
}

async function inSession(stage: Stage): Promise<string> {
  const session = createMemorySession();
  const { messages, ...options } = optionsOf('plain', stage);
  await endOf(runSession({ ...options, session, messages }));
  return endOf(runSession({ ...options, session, messages: [{ role: 'user', content: 'And now?' }] }));
}

async function withAgent(stage: Stage): Promise<string> {
  const { provider, stream } = stage;
  const inner = { provider, stream, model: 'a-model', tools, limits };
  const helper = agentAsTool({ name: 'helper', description: 'Helps.', run: inner });
  return endOf(run({ ...optionsOf('agent', stage), tools: createRegistry([helper]) }));
}

async function overMcp(stage: Stage): Promise<string> {
  const server = await serveHttp(tools);
  try {
    const client = await connectMcp({ mcpServers: { soak: { type: 'http', url: server.url } } });
    try {
      const found: Toolset = client;
      if (found.list().length === 0) return 'no tools';
      return await endOf(run({ ...optionsOf('plain', stage), tools: renamed(found) }));
    } finally {
      await client.close();
    }
  } finally {
    await server.close();
  }
}

/** Renames the tools of a server to drop its prefix, as the prompts expect. */
function renamed(toolset: Toolset): Toolset {
  const named = new Map(toolset.list().map((tool) => [tool.name.replace(/^mcp__soak__/u, ''), tool]));
  return {
    list: () => [...named].map(([name, tool]) => ({ ...tool, name })),
    prepare: (call, context) => toolset.prepare({ ...call, name: named.get(call.name)?.name ?? call.name }, context),
  };
}

const journal = openDurable(':memory:');
const stages = new Map<string, Stage>();
const worker = journal.work({
  agents: {
    soak: {
      run: (context) => {
        const stage = stages.get(context.runId);
        if (stage === undefined) throw new Error(`No stage for ${context.runId}.`);
        return run({ ...optionsOf('plain', stage), ...context });
      },
    },
  },
});

async function inJournal(stage: Stage): Promise<string> {
  const id = `soak-${stage.number}`;
  stages.set(id, stage);
  await journal.start(id, { agent: 'soak', messages: [...prompt('plain', stage)] });
  const { result } = await journal.result(id);
  stages.delete(id);
  await journal.purge({ ids: [id] });
  return result?.reason ?? 'no result';
}

/** Closes what the scenarios share. */
export async function endScenarios(): Promise<void> {
  await worker.drain();
  journal.close();
}

async function endOf(events: AsyncIterable<AgentEvent>, onEvent?: (event: AgentEvent) => void): Promise<string> {
  let end = 'no run-end';
  for await (const event of events) {
    onEvent?.(event);
    if (event.type === 'run-end') end = event.reason;
  }
  return end;
}
