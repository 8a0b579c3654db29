import {
  openRestate,
  type RestateRuns,
  agentWorkflow,
  type AgentWorkflowOptions,
  type DurableAgent,
} from '@kernel/restate';
import type { AgentEvent, JsonValue, Provider, RunExecutor, Step, StepExecutor } from '@kernel/protocol';
import { scriptedProvider, type ScriptStep } from '@kernel/testing';
import { afterAll, beforeAll } from 'vitest';
import { serveOnLoopback, type TestEndpoint } from './endpoint.ts';
import { startServer, type TestServer } from './server.ts';

export const messages = [{ role: 'user', content: 'Go' }] as const;

/** A server for all tests of a file, and workers in this process. */
export interface TestEngine {
  /** The server. */
  server(): TestServer;
  /** Serves agents, each with options of its own, and opens the runs of one. */
  serve(this: void, name: string, agent: DurableAgent, options?: AgentWorkflowOptions): Promise<RestateRuns>;
  /** Opens the runs of an agent that somebody else serves. */
  open(this: void, name: string): RestateRuns;
}

/** Starts a server before the tests of a file, and ends it behind them. */
export function useEngine(): TestEngine {
  let server: TestServer | undefined;
  const endpoints: TestEndpoint[] = [];
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server?.close();
    await Promise.all(endpoints.map(({ close }) => close()));
  });
  const running = (): TestServer => {
    if (server === undefined) throw new Error('There is no server yet.');
    return server;
  };
  const open = (agent: string): RestateRuns => {
    const { ingressUrl, adminUrl } = running();
    return openRestate({ agent, ingressUrl, adminUrl });
  };
  return {
    server: running,
    open,
    async serve(name, agent, options) {
      const endpoint = await serveOnLoopback([agentWorkflow(name, agent, options)]);
      endpoints.push(endpoint);
      await running().register(endpoint.url);
      return open(name);
    },
  };
}

/** A model without a memory of its own: its reply depends on how many replies are in the history. */
export function modelOf(script: readonly ScriptStep[]): Provider {
  return {
    name: 'scripted',
    stream(request) {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      return scriptedProvider(script.slice(turn, turn + 1)).stream(request);
    },
  };
}

/** A call of a script. */
export function call(name: string, id: string, args: object = {}) {
  return { name, id, arguments: JSON.stringify(args) };
}

/** A step by hand. */
export function step(
  id: string,
  body: (scope: Parameters<Step['run']>[0]) => JsonValue | Promise<JsonValue>,
  rest: Partial<Step> = {},
): Step {
  const [kind = ''] = id.slice(id.lastIndexOf('/') + 1).split(':');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids of tests begin with a kind
  return { id, kind: kind as Step['kind'], input: { id }, run: async (scope) => body(scope), ...rest };
}

/** An agent that runs steps by hand and answers with the JSON of what `body` returns. */
export function agentOf(body: (steps: StepExecutor, executor: RunExecutor) => Promise<JsonValue>) {
  return async function* agent(executor: RunExecutor): AsyncGenerator<AgentEvent> {
    const totals = { type: 'run-end', turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } } as const;
    const answer = JSON.stringify(await body(executor.steps, executor));
    yield executor.signal.aborted ? { ...totals, reason: 'aborted' } : { ...totals, reason: 'done', answer };
  };
}

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
