import type { Toolset } from '@kernel/protocol';
import { onTestFinished } from 'vitest';
import { serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { ENVELOPE, rpc, send } from '../raw.ts';

/** What a server answers about tasks. */
export interface TaskReply {
  readonly result?: {
    readonly resultType?: string;
    readonly taskId?: string;
    readonly status?: string;
    readonly statusMessage?: string;
    readonly ttlMs?: number;
    readonly pollIntervalMs?: number;
    readonly inputRequests?: object;
    readonly content?: readonly { readonly text: string }[];
    readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
    readonly error?: { readonly code: number; readonly message: string };
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The capabilities of a client that knows tasks and can ask its user. */
export const KNOWS_TASKS = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Serves a toolset with tasks until the test ends. */
export async function serveTasks(toolset: Toolset, options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(toolset, { tasks: { afterMs: 0 }, ...options });
  onTestFinished(() => server.close());
  return server.url;
}

/** The body and the headers of a request of 2026-07-28. */
export function taskRequest(
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = KNOWS_TASKS,
) {
  const meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const name = params['name'] ?? params['taskId'];
  return {
    body: rpc(method, { ...params, _meta: meta }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  };
}

/** Makes requests as one caller. */
export function taskClient(url: string, caller = 'Ada', capabilities: object = KNOWS_TASKS) {
  const request = async (method: string, params: Readonly<Record<string, unknown>>): Promise<TaskReply> => {
    const { body, headers } = taskRequest(method, params, capabilities);
    return (await send(url, body, { ...headers, authorization: `Bearer ${caller}` })).json as TaskReply;
  };
  const get = (taskId: unknown): Promise<TaskReply> => request('tasks/get', { taskId });
  return {
    request,
    get,
    call: (name: string): Promise<TaskReply> => request('tools/call', { name, arguments: {} }),
    update: (taskId: unknown, inputResponses: object): Promise<TaskReply> =>
      request('tasks/update', { taskId, inputResponses }),
    cancel: (taskId: unknown): Promise<TaskReply> => request('tasks/cancel', { taskId }),
    /** Asks for a task until it has this status. */
    async until(taskId: unknown, status: string): Promise<NonNullable<TaskReply['result']>> {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- that is polling
        const { result, error } = await get(taskId);
        if (error !== undefined) throw new Error(error.message);
        if (result?.status === status) return result;
      }
    },
  };
}
