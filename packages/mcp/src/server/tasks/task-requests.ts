import { isObject, jsonDigest } from '@kernel/internal';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { ANY_PARAMS, INVALID_PARAMS, rpcError } from '../../json-rpc.ts';
import type { ServerTasks } from './server-tasks.ts';
import type { TaskRecord } from './task-store.ts';

/** The name of the extension, in the capabilities of both sides. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const MISSING_CAPABILITY = -32_021;

/** What the client of a request is able to do, by its own word; undefined for a client of an older version. */
export function capabilitiesOf(envelope: unknown): { readonly [name: string]: unknown } | undefined {
  const declared = isObject(envelope) ? envelope[CAPABILITIES_KEY] : undefined;
  return isObject(declared) ? declared : undefined;
}

/** Whether the client of a request knows tasks. */
export function knowsTasks(envelope: unknown): boolean {
  const extensions = capabilitiesOf(envelope)?.['extensions'];
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

/** The JSON-RPC error for a client that lacks a capability that it would need. */
export function missingCapability(requiredCapabilities: object, what: string) {
  const error = new Error(`Missing required client capability: ${what}`);
  return Object.assign(error, { code: MISSING_CAPABILITY, data: { requiredCapabilities } });
}

export function missingTasks(what: string): ReturnType<typeof missingCapability> {
  return missingCapability({ extensions: { [TASKS_EXTENSION]: {} } }, `${what} needs the extension ${TASKS_EXTENSION}`);
}

/** A digest of who sends a request: what a task is bound to. */
export function callerOf({ http, sessionId }: ServerContext): string {
  return callerDigest(http?.authInfo?.clientId ?? http?.req?.headers.get('authorization'), sessionId);
}

export function callerDigest(credentials: string | null | undefined, sessionId?: string): string {
  return jsonDigest([credentials ?? null, sessionId ?? null]);
}

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel`, and declares the extension. */
export function handleTaskRequests(protocol: Server, tasks: ServerTasks): void {
  protocol.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  const handle = (method: string, run: (id: unknown, caller: string, mcp: ServerContext) => Promise<object>): void =>
    protocol.setRequestHandler(method, { params: ANY_PARAMS }, async (params, mcp) => {
      if (!knowsTasks(mcp.mcpReq.envelope)) throw missingTasks(method);
      const id = isObject(params) ? params['taskId'] : undefined;
      return { ...(await run(id, callerOf(mcp), mcp)) };
    });
  handle('tasks/get', async (id, caller) => toDetailedTask(await tasks.get(id, caller), tasks));
  handle('tasks/update', async (id, caller, { mcpReq }) => {
    if (mcpReq.inputResponses === undefined) throw rpcError(INVALID_PARAMS, 'inputResponses is missing');
    await tasks.update(id, caller, mcpReq.inputResponses);
    return {};
  });
  handle('tasks/cancel', async (id, caller) => {
    await tasks.cancel(id, caller);
    return {};
  });
}

/** A task as the result of `tools/call`. */
export function toTask(record: TaskRecord, { settings }: ServerTasks) {
  const { id: taskId, status, message, createdMs, updatedMs, expiresMs } = record;
  return {
    taskId,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdMs).toISOString(),
    lastUpdatedAt: new Date(updatedMs).toISOString(),
    ttlMs: expiresMs - createdMs,
    pollIntervalMs: settings.pollIntervalMs,
  };
}

/** A task as `tasks/get` and its notifications tell of it: with what it asks, or what it came to. */
export function toDetailedTask(record: TaskRecord, tasks: ServerTasks) {
  const { questions, result, error } = record;
  return {
    ...toTask(record, tasks),
    ...(questions === undefined ? {} : { inputRequests: questions }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}
