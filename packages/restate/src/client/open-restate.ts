import { isObject, jsonDigest } from '@kernel/internal';
import {
  checkCallId,
  checkDecision,
  checkKeys,
  checkNumber,
  checkPurge,
  checkSteer,
  checkOutcomeResolution,
  KernelError,
  type RecordedRun,
  type RecordedRuns,
  toJsonText,
} from '@kernel/protocol';
import { EVENTS_PER_PAGE, type EventPage, FINAL, type Outcome, type Signal, type StartInput } from '../run-state.ts';
import {
  cannotRetry,
  checkFilter,
  checkId,
  checkStart,
  MAX_ID,
  noSuchRun,
  RESTATE,
  type RestateOptions,
  type RetryOptions,
} from './options.ts';
import { createRestateApi } from './restate-api.ts';
import { type KnownRun, readRuns, readWaiting } from './queries.ts';

/**
 * The runs of an agent in Restate, shared by any number of processes on any number of machines. All methods reject with `STORE_FAILED` if Restate cannot be
 * reached; `status`, `list`, `waiting`, `result` and `events`, which only read, first repeat their requests for 10 s, as long as a restart of Restate takes. `decide`, `resolveOutcome`, `steer`, `stop`, `cancel`, `retry`, `result` and `events` are answered by a worker, and wait until there is one. A
 * decision counts even before its run is started. `start` resolves once Restate has accepted the run, for which no worker is needed, and detects another input only
 * once that run has started. `list` leaves out the results.
 */
export interface RestateRuns extends RecordedRuns {
  /**
   * Continues a run that failed or is blocked, keeping what is recorded; a blocked run moves to the deployment registered last with `latest`. Rejects with
   * `CONFIG_INVALID` for any other run, and for one that failed longer than `retryWindowMs` ago.
   */
  retry(id: string, options?: RetryOptions): Promise<void>;
}

/** How long a single request waits before it is repeated, in milliseconds. */
const WAIT_MS = 20_000;

/** Opens the runs of an agent. Sends nothing before the first call. */
export function openRestate(options: RestateOptions): RestateRuns {
  checkKeys('openRestate', options, RESTATE);
  const { agent } = options;
  for (const key of ['agent', 'ingressUrl', 'adminUrl'] as const)
    if (typeof options[key] !== 'string' || options[key] === '')
      throw new KernelError('CONFIG_INVALID', `openRestate() was called without ${key}.`, {
        hint: 'openRestate({ agent: "support", ingressUrl: "http://127.0.0.1:8080", adminUrl: "http://127.0.0.1:9070" })',
      });
  const api = createRestateApi(options);
  const path = (id: string, handler: string): string =>
    `/${encodeURIComponent(agent)}/${encodeURIComponent(id)}/${handler}`;
  const ask = async <T>(id: string, handler: string, body: unknown): Promise<T> => {
    const answer = await api.call(path(id, handler), body);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers are those of this package
    return answer as T;
  };
  const read = async <T>(id: string, handler: string, body: unknown, signal?: AbortSignal): Promise<T> => {
    const answer = await api.read(path(id, handler), body, signal);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    return answer as T;
  };
  const find = async (id: string): Promise<KnownRun | undefined> => (await readRuns(api, agent, id))[0];
  const requireRun = async (id: string): Promise<KnownRun> => {
    const run = await find(id);
    if (run === undefined) throw noSuchRun(id);
    return run;
  };
  const outcome = (id: string, waitMs: number, signal?: AbortSignal): Promise<Outcome> =>
    read(id, 'outcome', { waitMs }, signal);
  const send = (id: string, signal: Signal): Promise<boolean> => ask(id, 'signal', signal);

  async function ended(id: string, waitMs: number, signal?: AbortSignal): Promise<RecordedRun | undefined> {
    const { run, result } = await outcome(id, waitMs, signal);
    if (run === undefined || result === undefined || !FINAL.has(run.status)) return undefined;
    const { status, version, createdAt, updatedAt } = run;
    return { id, agent, version, status, result, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
  }

  return {
    async start(id, startOptions) {
      checkStart(id, startOptions);
      const { messages, input, at, deadline } = startOptions;
      toJsonText(`start(${JSON.stringify(id)})`, { messages, input });
      const body: StartInput = {
        messages,
        ...(input === undefined ? {} : { input }),
        ...(deadline === undefined ? {} : { deadlineAt: deadline.getTime() }),
      };
      const answer = await api.send(path(id, 'run'), body, at === undefined ? 0 : at.getTime() - Date.now());
      if (!isObject(answer) || answer['status'] !== 'PreviouslyAccepted') return true;
      const inputDigest = (await find(id))?.inputDigest;
      if (inputDigest === undefined || inputDigest === jsonDigest(body)) return false;
      throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} was already started with another input.`, {
        hint: 'Use another id: each stands for one input.',
      });
    },
    async status(id) {
      checkId('status', id);
      const run = await find(id);
      if (run === undefined || !FINAL.has(run.record.status)) return run?.record;
      return (await ended(id, 0)) ?? run.record;
    },
    async list(filter = {}) {
      checkFilter(filter);
      const { status, limit = 100 } = filter;
      const runs = (await readRuns(api, agent)).map(({ record }) => record);
      const fitting = status === undefined ? runs : runs.filter((run) => run.status === status);
      return fitting.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, limit);
    },
    async result(id, waitOptions = {}) {
      checkId('result', id);
      const { signal } = waitOptions;
      for (let waitMs = 0; ; waitMs = WAIT_MS) {
        const record = await ended(id, waitMs, signal);
        if (record !== undefined) return record;
        const state = await api.workflowState(agent, id);
        if (state === 'missing') throw noSuchRun(id);
        // It may have been killed from outside.
        if (state === 'over') return (await ended(id, 0)) ?? (await requireRun(id)).record;
      }
    },
    async waiting(id) {
      if (id !== undefined) checkId('waiting', id);
      return readWaiting(api, agent, id);
    },
    async decide(id, callId, decision) {
      checkId('decide', id);
      checkCallId('decide', callId);
      checkDecision(decision);
      return ask(id, 'answer', { kind: 'approval', callId, answer: decision });
    },
    async resolveOutcome(id, callId, resolution) {
      checkId('resolveOutcome', id);
      checkCallId('resolveOutcome', callId);
      checkOutcomeResolution(resolution);
      return ask(id, 'answer', { kind: 'unknown', callId, answer: resolution });
    },
    async steer(id, message, steerOptions = {}) {
      checkId('steer', id);
      checkSteer(message, steerOptions);
      if (await send(id, { kind: steerOptions.after === 'answer' ? 'followUp' : 'steer', message })) return;
      throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} is over.`, {
        hint: 'Start another one with its messages, which result() returns.',
      });
    },
    async stop(id) {
      checkId('stop', id);
      return send(id, { kind: 'stop' });
    },
    async cancel(id) {
      checkId('cancel', id);
      return send(id, { kind: 'cancel' });
    },
    async retry(id, retryOptions = {}) {
      checkId('retry', id);
      const { latest = false } = retryOptions;
      const { record, invocationId, isOpen } = await requireRun(id);
      if (record.status === 'failed' && isOpen && (await ask<boolean>(id, 'retry', null))) return;
      const resume = `resume${latest ? '?deployment=latest' : ''}`;
      if (record.status === 'blocked' && (await api.patchInvocation(invocationId, resume))) return;
      throw cannotRetry((await requireRun(id)).record);
    },
    async *events(id, eventsOptions = {}) {
      checkId('events', id);
      const { after = 0, follow = true, signal } = eventsOptions;
      checkNumber('events', 'after', after, 0);
      let page = Math.max(1, Math.floor(after / EVENTS_PER_PAGE));
      for (;;) {
        const request = { page, waitMs: follow ? WAIT_MS : 0 };
        const found = await read<EventPage | null>(id, 'events', request, signal);
        if (found !== null) {
          for (const event of found.events) if (event.seq > after) yield event;
          page += 1;
        }
        if (found?.isLast === true || found === null) if (await isRead(id, page, follow)) return;
      }
    },
    async purge(purgeOptions = {}) {
      checkPurge(purgeOptions, MAX_ID);
      const { ids, before } = purgeOptions;
      const wanted = ids === undefined ? undefined : new Set(ids);
      const limit = before?.getTime() ?? Infinity;
      let count = 0;
      for (const { record, invocationId, isOpen } of await readRuns(api, agent)) {
        const { id, status, updatedAt } = record;
        if (!FINAL.has(status) || updatedAt.getTime() >= limit || wanted?.has(id) === false) continue;
        // A failed run is still open, waiting for retry().
        if (isOpen) await api.patchInvocation(invocationId, 'kill');
        if (await api.patchInvocation(invocationId, 'purge')) count += 1;
      }
      return count;
    },
  };

  /** Whether there is no such page, nor will be. */
  async function isRead(id: string, page: number, follow: boolean): Promise<boolean> {
    if (!follow && (await read<EventPage | null>(id, 'events', { page, waitMs: 0 })) === null) return true;
    const { record } = await requireRun(id);
    return FINAL.has(record.status) && (await read<EventPage | null>(id, 'events', { page, waitMs: 0 })) === null;
  }
}
