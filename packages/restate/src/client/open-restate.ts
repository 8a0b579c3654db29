import { isObject } from '@kernel/internal';
import {
  checkKeys,
  type JsonValue,
  KernelError,
  type LoggedEvent,
  type Message,
  optionKeys,
  type RecordedRun,
  type RunSignals,
} from '@kernel/protocol';
import { digest } from '../digest.ts';
import { EVENTS_PER_PAGE, type EventPage, FINAL, type Outcome, type Signal, type StartInput } from '../run-state.ts';
import { checkDecision, checkStart, noSuchRun } from './checks.ts';
import { connect, type EngineOptions } from './engine.ts';
import { type KnownRun, type PurgeOptions, readRuns, readWaiting, type RunFilter } from './queries.ts';

/** Where the runs of an agent are. */
export interface RestateOptions extends EngineOptions {
  /** The name of the agent, as in `agentWorkflow`. */
  readonly agent: string;
}

/** What a run starts with. */
export interface StartOptions {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** What the agent's `run` gets besides. JSON. */
  readonly input?: JsonValue | undefined;
  /** When it starts. Default: at once. */
  readonly at?: Date | undefined;
  /** When it is cancelled if it is not over. Default: never. */
  readonly deadline?: Date | undefined;
}

/** Ends waiting, and the reading of events. */
export interface WaitOptions {
  /** Rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Which events to read. */
export interface EventsOptions extends WaitOptions {
  /** Only those after this position. Default 0: all. */
  readonly after?: number | undefined;
  /** Whether to go on until the run is over. Default true. */
  readonly follow?: boolean | undefined;
}

/**
 * The runs of an agent in Restate, for any number of processes on any machine. All methods reject with `STORE_FAILED` where Restate cannot be reached.
 * Those that say whether something counts ask a worker, and wait until there is one; a decision counts even before its run is started.
 */
export interface RestateRuns extends RunSignals {
  /**
   * Starts a run once: the same id with the same input again changes nothing. Resolves to whether it is new, once Restate has it; no worker need be there.
   * Rejects with `CONFIG_INVALID` for an id that is known to have another input; before a run begins, that is not known.
   */
  start(id: string, options: StartOptions): Promise<boolean>;
  /** Reads a run; undefined if there is none. */
  status(id: string): Promise<RecordedRun | undefined>;
  /** Lists runs, the latest first, without their results. */
  list(filter?: RunFilter): Promise<readonly RecordedRun[]>;
  /** Resolves when the run is over, however it ended. A blocked run is not over. */
  result(id: string, options?: WaitOptions): Promise<RecordedRun>;
  /**
   * Goes on with a run that failed, which repeats only what failed, or tries one that is blocked again: with `latest` on the code that was registered
   * last. Resolves to whether it was one.
   */
  retry(id: string, options?: { readonly latest?: boolean | undefined }): Promise<boolean>;
  /** The events of a run, in order; `after` goes on where a reader left. */
  events(id: string, options?: EventsOptions): AsyncGenerator<LoggedEvent, void>;
  /** Deletes runs that are over, with everything that Restate knows of them. Resolves to how many. */
  purge(options?: PurgeOptions): Promise<number>;
}

const KEYS = optionKeys<RestateOptions>({ agent: true, ingressUrl: true, adminUrl: true, headers: true, fetch: true });
/** How long one request waits for something to happen, in milliseconds. */
const WAIT_MS = 20_000;

/** Opens the runs of an agent. Nothing is sent before the first call. */
export function openRestate(options: RestateOptions): RestateRuns {
  checkKeys('openRestate', options, KEYS);
  const { agent } = options;
  for (const key of ['agent', 'ingressUrl', 'adminUrl'] as const)
    if (typeof options[key] !== 'string' || options[key] === '')
      throw new KernelError('CONFIG_INVALID', `openRestate() was called without ${key}.`, {
        hint: 'openRestate({ agent: "support", ingressUrl: "http://127.0.0.1:8080", adminUrl: "http://127.0.0.1:9070" })',
      });
  const engine = connect(options);
  const path = (id: string, handler: string): string =>
    `/${encodeURIComponent(agent)}/${encodeURIComponent(id)}/${handler}`;
  const ask = async <T>(id: string, handler: string, body: unknown, signal?: AbortSignal): Promise<T> => {
    const answer = await engine.call(path(id, handler), body, signal);
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- what the handlers of this package return
    return answer as T;
  };
  const find = async (id: string): Promise<KnownRun | undefined> => (await readRuns(engine, agent, id))[0];
  const known = async (id: string): Promise<KnownRun> => {
    const run = await find(id);
    if (run === undefined) throw noSuchRun(id);
    return run;
  };
  const outcome = (id: string, waitMs: number, signal?: AbortSignal): Promise<Outcome> =>
    ask(id, 'outcome', { waitMs }, signal);
  const send = (id: string, signal: Signal): Promise<boolean> => ask(id, 'signal', signal);

  /** The record of a run with its result, as soon as there is one. */
  async function ended(id: string, waitMs: number, signal?: AbortSignal): Promise<RecordedRun | undefined> {
    const { run, result } = await outcome(id, waitMs, signal);
    if (run === undefined || result === undefined || !FINAL.has(run.status)) return undefined;
    const { status, version, createdAt, updatedAt } = run;
    return { id, agent, version, status, result, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
  }

  return {
    async start(id, { messages, input, at, deadline }) {
      checkStart(id, messages, { at, deadline });
      const body: StartInput = {
        messages,
        ...(input === undefined ? {} : { input }),
        ...(deadline === undefined ? {} : { deadlineAt: deadline.getTime() }),
      };
      const answer = await engine.send(path(id, 'run'), body, at === undefined ? 0 : at.getTime() - Date.now());
      if (!isObject(answer) || answer['status'] !== 'PreviouslyAccepted') return true;
      const inputDigest = (await find(id))?.inputDigest;
      if (inputDigest === undefined || inputDigest === digest(body)) return false;
      throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} was started with something else.`, {
        hint: 'An id stands for one input: take another id.',
      });
    },
    async status(id) {
      const run = await find(id);
      if (run === undefined || !FINAL.has(run.record.status)) return run?.record;
      return (await ended(id, 0)) ?? run.record;
    },
    async list({ status, limit = 100 } = {}) {
      const runs = (await readRuns(engine, agent)).map(({ record }) => record);
      const fitting = status === undefined ? runs : runs.filter((run) => run.status === status);
      return fitting.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, limit);
    },
    async result(id, { signal } = {}) {
      for (let waitMs = 0; ; waitMs = WAIT_MS) {
        // oxlint-disable-next-line no-await-in-loop -- each request waits for a while
        const record = await ended(id, waitMs, signal);
        if (record !== undefined) return record;
        // oxlint-disable-next-line no-await-in-loop -- as above
        const state = await engine.find(agent, id);
        if (state === 'missing') throw noSuchRun(id);
        // Somebody may have killed it.
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (state === 'over') return (await ended(id, 0)) ?? (await known(id)).record;
      }
    },
    waiting: (id) => readWaiting(engine, agent, id),
    async decide(id, callId, decision) {
      checkDecision(decision);
      return ask(id, 'answer', { kind: 'approval', callId, answer: decision });
    },
    resolveUnknown: (id, callId, answer) => ask(id, 'answer', { kind: 'unknown', callId, answer }),
    async steer(id, message, { after = 'call' } = {}) {
      if (await send(id, { kind: after === 'answer' ? 'followUp' : 'steer', message })) return;
      throw new KernelError('CONFIG_INVALID', `The run ${JSON.stringify(id)} is over.`, {
        hint: 'Start another one with its messages: result() has them.',
      });
    },
    stop: (id) => send(id, { kind: 'stop' }),
    cancel: (id) => send(id, { kind: 'cancel' }),
    async retry(id, { latest = false } = {}) {
      const { record, invocationId } = await known(id);
      if (record.status === 'failed') return ask(id, 'retry', null);
      if (record.status !== 'blocked') return false;
      return engine.change(invocationId, `resume${latest ? '?deployment=latest' : ''}`);
    },
    async *events(id, { after = 0, follow = true, signal } = {}) {
      let page = Math.max(1, Math.floor(after / EVENTS_PER_PAGE));
      for (;;) {
        const request = { page, waitMs: follow ? WAIT_MS : 0 };
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const found = await ask<EventPage | null>(id, 'events', request, signal);
        if (found !== null) {
          for (const event of found.events) if (event.seq > after) yield event;
          page += 1;
        }
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (found?.isLast === true || found === null) if (await isRead(id, page, follow)) return;
      }
    },
    async purge({ ids, before } = {}) {
      const wanted = ids === undefined ? undefined : new Set(ids);
      const limit = before?.getTime() ?? Infinity;
      let count = 0;
      for (const { record, invocationId, isOpen } of await readRuns(engine, agent)) {
        const { id, status, updatedAt } = record;
        if (!FINAL.has(status) || updatedAt.getTime() >= limit || wanted?.has(id) === false) continue;
        // One that failed waits for retry().
        // oxlint-disable-next-line no-await-in-loop -- not all at once
        if (isOpen) await engine.change(invocationId, 'kill');
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (await engine.change(invocationId, 'purge')) count += 1;
      }
      return count;
    },
  };

  /** Whether the page is none that a run has or will have. */
  async function isRead(id: string, page: number, follow: boolean): Promise<boolean> {
    if (!follow && (await ask<EventPage | null>(id, 'events', { page, waitMs: 0 })) === null) return true;
    const { record } = await known(id);
    return FINAL.has(record.status) && (await ask<EventPage | null>(id, 'events', { page, waitMs: 0 })) === null;
  }
}
