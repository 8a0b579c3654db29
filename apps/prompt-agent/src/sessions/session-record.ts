import { endText } from '../run-ends.ts';
import { jsonIn, type Row } from './database/rows.ts';
import { numberOf, textOf } from './event-fields.ts';

export const RECORD_COLUMNS =
  'number, id, name, folder, title, provider, model, flags, created_ms, changed_ms, turns, calls, tokens_in, tokens_out, cost, state, writer, writer_pid';

export const SHORT_ID = 8;

export type SessionRecord = Readonly<ReturnType<typeof toRecord>>;

export function toRecord(row: Row) {
  const { cost } = row;
  return {
    /** Its row in the file. */
    number: numberOf(row, 'number'),
    /** 32 hexadecimal digits; any unique beginning of them names the session. */
    id: textOf(row, 'id'),
    name: textOf(row, 'name') || undefined,
    folder: textOf(row, 'folder'),
    /** The beginning of the first prompt, secrets redacted. */
    title: textOf(row, 'title'),
    provider: textOf(row, 'provider'),
    model: textOf(row, 'model'),
    flags: jsonIn(row, 'flags'),
    createdMs: numberOf(row, 'created_ms'),
    changedMs: numberOf(row, 'changed_ms'),
    /** Model calls, those of agents below included. */
    turns: numberOf(row, 'turns'),
    /** Tool calls, those of agents below included. */
    calls: numberOf(row, 'calls'),
    inputTokens: numberOf(row, 'tokens_in'),
    outputTokens: numberOf(row, 'tokens_out'),
    /** The cost in US dollars, where the prices are known. */
    cost: typeof cost === 'number' ? cost : undefined,
    /** How its last run ended: the reason of its `run-end`, or `begun` for one that goes on or was cut off, empty before the first. */
    state: textOf(row, 'state'),
    /** The mark of the process that has it open. */
    writer: textOf(row, 'writer') || undefined,
    writerPid: numberOf(row, 'writer_pid') || undefined,
  };
}

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

export function stateText({ state, writer }: SessionRecord, isRunning: (mark: string) => boolean): string {
  if (writer !== undefined && isRunning(writer)) return 'open';
  return endText(state === 'begun' ? undefined : state);
}
