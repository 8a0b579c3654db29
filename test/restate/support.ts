import {
  openRestate,
  type RestateRuns,
  agentWorkflow,
  type AgentWorkflowOptions,
  type DurableAgent,
} from '@kernel/restate';
import { afterAll, beforeAll } from 'vitest';
import { serveOnLoopback, type TestEndpoint } from './endpoint.ts';
import { freePort, startServer, type TestServer } from './server.ts';

export const messages = [{ role: 'user', content: 'Go' }] as const;

/** A server for all tests of a file, and workers in this process. */
export interface TestEngine {
  /** The server. */
  server(): TestServer;
  /** Serves agents, each with options of its own, and opens the runs of one. */
  serve(this: void, name: string, agent: DurableAgent, options?: AgentWorkflowOptions): Promise<RestateRuns>;
  /** Opens the runs of an agent that is served otherwise. */
  open(this: void, name: string): RestateRuns;
  /** Serves an agent at an address where another one can take its place, as a deployment does that keeps its address; `cut` loses its connections. */
  serveAt(
    this: void,
    name: string,
    agent: DurableAgent,
    options?: AgentWorkflowOptions,
  ): Promise<{ readonly replace: (agent: DurableAgent) => Promise<void>; readonly cut: () => void }>;
  /** Whether no worker holds a run. */
  isSuspended(this: void, name: string, id: string): Promise<boolean>;
  /** Cancels the invocation of a run, as somebody may do in Restate's own interface. */
  cancelInvocation(this: void, name: string, id: string): Promise<void>;
}

/** Starts a server before the tests of a file, and ends it behind them. */
export function useEngine(): TestEngine {
  let server: TestServer | undefined;
  const endpoints: Pick<TestEndpoint, 'close'>[] = [];
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
  const invocationOf = async (name: string, id: string): Promise<{ id: string; status: string } | undefined> => {
    const query = `SELECT id, status FROM sys_invocation WHERE target_service_name = '${name}' AND target_service_key = '${id}' AND target_handler_name = 'run'`;
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
    const response = await fetch(`${running().adminUrl}/query`, init);
    return ((await response.json()) as { rows: { id: string; status: string }[] }).rows[0];
  };
  return {
    server: running,
    open,
    isSuspended: async (name, id) => (await invocationOf(name, id))?.status === 'suspended',
    async cancelInvocation(name, id) {
      await fetch(`${running().adminUrl}/invocations/${(await invocationOf(name, id))?.id}/cancel`, {
        method: 'PATCH',
      });
    },
    async serveAt(name, agent, options) {
      const port = await freePort();
      let endpoint = await serveOnLoopback([agentWorkflow(name, agent, options)], port);
      await running().register(endpoint.url);
      endpoints.push({ close: () => endpoint.close() });
      return {
        async replace(next) {
          await endpoint.close();
          endpoint = await serveOnLoopback([agentWorkflow(name, next, options)], port);
        },
        cut: () => endpoint.cut(),
      };
    },
    async serve(name, agent, options) {
      const endpoint = await serveOnLoopback([agentWorkflow(name, agent, options)]);
      endpoints.push(endpoint);
      await running().register(endpoint.url);
      return open(name);
    },
  };
}

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
