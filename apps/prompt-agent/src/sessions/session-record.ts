import type { RunEnd } from '@kernel/protocol';
import { jsonIn, type Row } from './database/rows.ts';
import { numberOf, textOf } from './event-fields.ts';

export interface SessionRecord {
  /** Its row in the file. */
  readonly number: number;
  /** 32 hexadecimal digits; any unique beginning of them names the session. */
  readonly id: string;
  readonly name?: string;
  readonly folder: string;
  /** The beginning of the first prompt, secrets redacted. */
  readonly title: string;
  readonly provider: string;
  readonly model: string;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  readonly changedMs: number;
  /** Model calls, those of agents below included. */
  readonly turns: number;
  /** Tool calls, those of agents below included. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The cost in US dollars, where the prices are known. */
  readonly cost?: number;
  /** How its last run ended: the reason of its `run-end`, or `begun` for one that goes on or was cut off. */
  readonly state: string;
  /** The mark of the process that has it open. */
  readonly writer?: string;
  readonly writerPid?: number;
}

export const RECORD_COLUMNS =
  'number, id, name, folder, title, provider, model, flags, created_ms, changed_ms, turns, calls, tokens_in, tokens_out, cost, state, writer, writer_pid';

export const SHORT_ID = 8;

export function toRecord(row: Row): SessionRecord {
  const [name, writer, pid] = [textOf(row, 'name'), textOf(row, 'writer'), numberOf(row, 'writer_pid')];
  return {
    number: numberOf(row, 'number'),
    id: textOf(row, 'id'),
    ...(name === '' ? {} : { name }),
    folder: textOf(row, 'folder'),
    title: textOf(row, 'title'),
    provider: textOf(row, 'provider'),
    model: textOf(row, 'model'),
    flags: jsonIn(row, 'flags'),
    createdMs: numberOf(row, 'created_ms'),
    changedMs: numberOf(row, 'changed_ms'),
    turns: numberOf(row, 'turns'),
    calls: numberOf(row, 'calls'),
    inputTokens: numberOf(row, 'tokens_in'),
    outputTokens: numberOf(row, 'tokens_out'),
    ...(typeof row['cost'] === 'number' ? { cost: row['cost'] } : {}),
    state: textOf(row, 'state'),
    ...(writer === '' ? {} : { writer }),
    ...(pid === 0 ? {} : { writerPid: pid }),
  };
}

/** What a session is called in messages: its name, or the beginning of its id. */
export function calledOf({ name, id }: Pick<SessionRecord, 'name' | 'id'>): string {
  return name === undefined ? id.slice(0, SHORT_ID) : `"${name}"`;
}

export function recordJson(record: SessionRecord): Readonly<Record<string, unknown>> {
  const { id, name, folder, title, provider, model, flags, createdMs, changedMs, state, turns, calls, cost } = record;
  return {
    id,
    name,
    folder,
    title,
    provider,
    model,
    flags: Object.keys(flags).length === 0 ? undefined : flags,
    created: new Date(createdMs).toISOString(),
    changed: new Date(changedMs).toISOString(),
    state,
    turns,
    calls,
    usage: { inputTokens: record.inputTokens, outputTokens: record.outputTokens },
    cost,
  };
}

/** How a run ended, in a word or two, by the reason of its `run-end`. */
const END_TEXTS = {
  done: 'answered',
  handled: 'answered',
  aborted: 'interrupted',
  error: 'failed',
  limit: 'at a limit',
  length: 'cut short',
  filtered: 'filtered',
  loop: 'in a loop',
  approval: 'waits for approval',
} satisfies Record<RunEnd['reason'], string>;
const TEXTS: ReadonlyMap<string, string> = new Map(Object.entries(END_TEXTS));

/** How a run ended, in a word or two; one without an end goes on, or the program was ended. */
export function endText(reason: string | undefined): string {
  return reason === undefined ? 'cut off' : (TEXTS.get(reason) ?? reason);
}

export function stateText({ state, writer }: SessionRecord, isRunning: (mark: string) => boolean): string {
  if (writer !== undefined && isRunning(writer)) return 'open';
  return endText(state === 'begun' ? undefined : state);
}
