import { errorMessage, isObject, sliceHead, untilAborted } from '@kernel/internal';
import type { CallToolResult, InputRequest, InputRequests, InputResponse } from '@modelcontextprotocol/server';
import { INTERNAL_ERROR, INVALID_PARAMS, rpcError } from '../../json-rpc.ts';
import { isAnswer } from '../tools/ask-client.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';

/** How much `statusMessage` may be, in characters: it travels with each poll. */
const MAX_MESSAGE = 2000;

export interface RunningTaskOptions {
  readonly store: TaskStore;
  /** How long the task is kept after its end. */
  readonly ttlMs: number;
  readonly onChange: (record: TaskRecord) => void;
  /** Called once, when the end of the task is kept, or cannot be. */
  readonly onEnd: (record: TaskRecord) => void;
  readonly onError: (error: unknown) => void;
}

interface OpenQuestion extends PromiseWithResolvers<InputResponse> {
  readonly request: InputRequest;
}

/** A task that this server runs. */
export type RunningTask = ReturnType<typeof createRunningTask>;

/** Creates the running side of a task that the store has. What comes after its end is ignored. */
export function createRunningTask(first: TaskRecord, options: RunningTaskOptions) {
  const { store, ttlMs, onChange, onEnd, onError } = options;
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  const open = new Map<string, OpenQuestion>();
  let record = first;
  let hasEnded = false;
  let isDirty = false;
  let saving: Promise<void> = Promise.resolve();

  const save = async (task: TaskRecord): Promise<void> => {
    try {
      await store.save(task);
    } catch (error) {
      onError(error);
      if (task.status !== 'completed') return; // the next change, or the end, is kept instead
      const { result: _, ...rest } = task;
      const message = `the call ran, but its result could not be kept: ${errorMessage(error)}`;
      record = { ...rest, status: 'failed', error: { code: INTERNAL_ERROR, message } };
      await store.save(record);
    }
  };
  const change = (next: Partial<TaskRecord>): void => {
    if (hasEnded) return;
    const { questions: _answered, ...rest } = record;
    record = { ...rest, ...next, updatedMs: Math.max(Date.now(), record.updatedMs) };
    if (!isDirty) saving = saving.then(keep).catch(onError);
    isDirty = true;
    onChange(record);
  };
  /** Keeps the newest, however often it changed meanwhile. */
  const keep = (): Promise<void> => {
    isDirty = false;
    return save(record);
  };
  const end = (next: Partial<TaskRecord>): void => {
    if (hasEnded) return;
    change({ ...next, expiresMs: Date.now() + ttlMs });
    hasEnded = true;
    void saving.then(() => onEnd(record));
  };
  const openQuestions = (): Pick<TaskRecord, 'status' | 'questions'> => {
    if (open.size === 0) return { status: 'working' };
    const questions = Object.fromEntries([...open].map(([name, { request }]) => [name, request]));
    return { status: 'input_required', questions };
  };

  return {
    record: (): TaskRecord => record,
    /** Aborts when the task is cancelled or has expired, and when the server closes. */
    signal,
    /** Says how far the call is. */
    report: (message: string): void =>
      change({ ...openQuestions(), message: sliceHead(message.toWellFormed(), MAX_MESSAGE) }),
    /** Asks the client; resolves to all answers. A name is asked for once in the life of a task. Rejects on abort. */
    async ask(requests: InputRequests): Promise<{ readonly [name: string]: InputResponse }> {
      const before = open.size;
      const known = new Map(Object.entries(record.answers ?? {}));
      const answers = Object.entries(requests).map(async ([name, request]) => {
        const answer = known.get(name);
        if (isAnswer(request, answer)) return [name, answer] as const;
        const asked = open.get(name) ?? { request, ...Promise.withResolvers<InputResponse>() };
        open.set(name, asked);
        return [name, await asked.promise] as const;
      });
      if (open.size > before) change(openQuestions());
      return Object.fromEntries(await untilAborted(Promise.all(answers), signal));
    },
    /** Takes the answer to an open question; any other is ignored. Throws a JSON-RPC error for one of the wrong form. */
    answer(name: string, answer: unknown): void {
      const asked = open.get(name);
      if (asked === undefined || hasEnded) return;
      if (!isAnswer(asked.request, answer))
        throw rpcError(INVALID_PARAMS, `"${name}" is not answered in the form that was asked for`);
      open.delete(name);
      record = { ...record, answers: { ...record.answers, [name]: answer } };
      change(openQuestions());
      asked.resolve(answer);
    },
    complete: (result: CallToolResult): void => end({ status: 'completed', result }),
    fail: (error: unknown): void => end({ status: 'failed', message: errorMessage(error), error: toError(error) }),
    cancel(): void {
      end({ status: 'cancelled' });
      controller.abort(new Error('the client cancelled the task'));
    },
    /** Aborts the call without a word to the store. */
    abort(why: string): void {
      hasEnded = true;
      controller.abort(new Error(why));
    },
  };
}

function toError(error: unknown): NonNullable<TaskRecord['error']> {
  const { code, data } = isObject(error) ? error : {};
  return {
    code: Number.isSafeInteger(code) ? Number(code) : INTERNAL_ERROR,
    message: errorMessage(error).toWellFormed(),
    ...(data === undefined ? {} : { data }),
  };
}
