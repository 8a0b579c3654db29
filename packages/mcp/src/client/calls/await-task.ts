import { delay, isObject, MAX_TIMER_MS, sliceHead } from '@kernel/internal';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { isToolResult, readableResult } from './readable-result.ts';
import type { RemoteTask } from './remote-task.ts';
import type { Connection } from '../connection/open-connection.ts';
import { lostTask, toRequestFailure } from '../connection/request-failure.ts';
import { INTERNAL_ERROR, toSchema } from '../../json-rpc.ts';

/** What the wait for a task needs of its call. */
export interface TaskWait {
  readonly connection: Connection;
  /** A working connection to the same server, which may have been restarted. */
  readonly reconnect: () => Promise<Connection>;
  /** Aborts with the call and when its time is over. */
  readonly signal: AbortSignal;
  /** How long the call may hear nothing; 0 means without limit. */
  readonly timeoutMs: number;
  /** Called with each sign of life. */
  readonly onAlive: () => void;
  readonly onProgress: (text: string) => void;
}

// A server names the interval; these hold whatever it names.
const INTERVAL_MS = 1000;
const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 30_000;
/** How long a task may run where a call may run without limit. */
const MAX_TASK_MS = 86_400_000;
/** How often in a row a task may be asked for in vain. */
const MAX_FAILURES = 5;
const MAX_QUESTIONS = 100;
const MAX_PROGRESS = 2000;
const CANCEL_MS = 1000;

/**
 * Waits until a task has ended, and returns its result: asks for it at the server's interval, or when the server tells of it, answers its questions and reports
 * its progress. Rejects with what `toRequestFailure` knows, and tells the server to stop unless the task has ended.
 */
export async function awaitTask(created: RemoteTask, wait: TaskWait): Promise<CallToolResult> {
  const { taskId } = created;
  if (typeof taskId !== 'string' || taskId === '') throw unreadable('its task has no id');
  const stop = new AbortController();
  const current: CurrentWait = { ...wait, taskId, answered: new Set() };
  wait.connection.listenToTask(taskId, stop.signal, () => current.wake?.());
  try {
    const ended = await untilEnded(created, current);
    return await resultOf(ended);
  } catch (error) {
    const timeout = Object.assign(new Error('the time of the call is over'), { code: 'REQUEST_TIMEOUT' });
    throw wait.signal.aborted ? timeout : error;
  } finally {
    stop.abort();
  }
}

interface CurrentWait extends Omit<TaskWait, 'connection'> {
  connection: Connection;
  readonly taskId: string;
  /** The names of the questions that were answered: a server may repeat them until it has read the answer. */
  readonly answered: Set<string>;
  /** Ends the present pause. */
  wake?: () => void;
}

const ENDS: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

async function untilEnded(created: RemoteTask, wait: CurrentWait): Promise<RemoteTask> {
  const startedMs = performance.now();
  let task = created;
  let told: unknown;
  try {
    // What the call itself says of an end lacks the result.
    if (task['status'] !== 'working') task = await poll(wait);
    for (;;) {
      const { status, statusMessage } = task;
      if (ENDS.has(status)) return task;
      if (status !== 'working' && status !== 'input_required') throw unreadable('its task has an unknown status');
      if (performance.now() - startedMs > MAX_TASK_MS) throw lostTask(`did not end its task within ${MAX_TASK_MS} ms`);
      if (typeof statusMessage === 'string' && statusMessage !== told)
        wait.onProgress(sliceHead(statusMessage, MAX_PROGRESS));
      told = statusMessage;
      /* oxlint-disable no-await-in-loop -- one step after the other */
      if (status === 'input_required') await answer(task['inputRequests'], wait);
      await pause(task['pollIntervalMs'], wait);
      task = await poll(wait);
      /* oxlint-enable no-await-in-loop */
    }
  } catch (error) {
    // In the background: an abort settles the call at once.
    wait.connection.client
      .request({ method: 'tasks/cancel', params: { taskId: wait.taskId } }, ANY_RESULT, { timeout: CANCEL_MS })
      .catch(() => {});
    throw error;
  }
}

/** Asks how the task is. A connection that breaks is replaced: the task may have outlived it. */
async function poll(wait: CurrentWait): Promise<RemoteTask> {
  const { taskId, signal } = wait;
  for (let failures = 0; ; failures += 1) {
    /* oxlint-disable no-await-in-loop -- one attempt after the other */
    try {
      const task = await send('tasks/get', { taskId }, wait);
      if (task['taskId'] !== taskId) throw unreadable('it tells of another task than it was asked for');
      return task;
    } catch (error) {
      const { kind } = toRequestFailure(error, wait.connection.link);
      const mayPass = kind === 'not-sent' || kind === 'other' || (kind === 'lost' && !isLostTask(error));
      if (signal.aborted || !mayPass || failures === MAX_FAILURES) throw error;
      await delay(INTERVAL_MS * failures, signal);
      wait.connection = await wait.reconnect();
    }
    /* oxlint-enable no-await-in-loop */
  }
}

/** Sends a request about the task. What the server refuses is lost, whatever its error says of the parameters. */
async function send(method: string, params: Readonly<Record<string, unknown>>, wait: CurrentWait): Promise<RemoteTask> {
  const { connection, signal, onAlive } = wait;
  try {
    const result = await connection.client.request({ method, params }, ANY_RESULT, { signal, timeout: MAX_TIMER_MS });
    onAlive();
    return result;
  } catch (error) {
    const failure = toRequestFailure(error, connection.link);
    if (failure.kind !== 'rpc-error' || signal.aborted) throw error;
    throw lostTask(`refused ${method} (JSON-RPC ${failure.code}: ${sliceHead(failure.message, 200)})`);
  }
}

async function answer(requests: unknown, wait: CurrentWait): Promise<void> {
  const { answered, taskId, signal } = wait;
  for (const [name, request] of Object.entries(isObject(requests) ? requests : {})) {
    if (answered.has(name)) continue;
    answered.add(name);
    if (answered.size > MAX_QUESTIONS) throw lostTask(`asked more than ${MAX_QUESTIONS} questions`);
    /* oxlint-disable no-await-in-loop -- as a person answers */
    const response = await wait.connection.answer(request, signal);
    if (response === undefined) throw new Error('its task asks what this client is unable to answer');
    await send('tasks/update', { taskId, inputResponses: { [name]: response } }, wait);
    /* oxlint-enable no-await-in-loop */
  }
}

/** Waits as long as the server says, within bounds, or until it tells of the task. */
async function pause(named: unknown, wait: CurrentWait): Promise<void> {
  const { signal, timeoutMs } = wait;
  const most = timeoutMs > 0 ? Math.min(MAX_INTERVAL_MS, timeoutMs / 2) : MAX_INTERVAL_MS;
  const wanted = typeof named === 'number' && named > 0 ? named : INTERVAL_MS;
  const least = Math.min(MIN_INTERVAL_MS, most);
  const woken = new AbortController();
  wait.wake = () => woken.abort();
  await delay(least, signal);
  const rest = Math.min(wanted, most) - least;
  if (rest > 0) await delay(rest, AbortSignal.any([signal, woken.signal])).catch(() => signal.throwIfAborted());
}

/** The result that the call would have had without a task. */
async function resultOf({ status, result, error }: RemoteTask): Promise<CallToolResult> {
  if (status === 'cancelled')
    return { content: [{ type: 'text', text: 'The server cancelled the call.' }], isError: true };
  if (status === 'failed') {
    const { code, message } = isObject(error) ? error : {};
    const text = typeof message === 'string' ? message : 'the task failed';
    throw Object.assign(new Error(text), { code: typeof code === 'number' ? code : INTERNAL_ERROR });
  }
  const sdk = await import('@modelcontextprotocol/client');
  const readable = isObject(result) && isToolResult(result) ? readableResult(sdk, result) : result;
  const parsed = sdk.specTypeSchemas.CallToolResult['~standard'].validate(readable);
  // A result without content would be valid, too.
  if (parsed.issues !== undefined || !isObject(result)) throw unreadable('the result of its task is not one of a tool');
  return parsed.value;
}

function unreadable(message: string): Error {
  return Object.assign(new Error(message), { code: 'INVALID_RESULT' });
}

function isLostTask(error: unknown): boolean {
  return isObject(error) && error['code'] === 'TASK_LOST';
}

const ANY_RESULT = toSchema<RemoteTask>((value) =>
  isObject(value) ? { value } : { issues: [{ message: 'not an object' }] },
);
