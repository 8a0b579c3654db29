import { jsonIn, numberIn, type Row, textIn } from './database/rows.ts';

/** What is known of a session without reading its messages. */
export interface SessionRecord {
  /** Its row in the file. */
  readonly number: number;
  /** 32 hexadecimal digits; any unique beginning of them names the session. */
  readonly id: string;
  /** The name that the user gave it. */
  readonly name?: string;
  /** The folder that it was begun in, absolute. */
  readonly folder: string;
  /** The beginning of the first prompt, secrets redacted. */
  readonly title: string;
  /** The provider of its last run. */
  readonly provider: string;
  /** The model of its last run. */
  readonly model: string;
  /** The flags about tools that its last run had. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** When it was begun, in milliseconds since 1970. */
  readonly createdMs: number;
  /** When it was last written. */
  readonly changedMs: number;
  /** Model calls, those of agents below included. */
  readonly turns: number;
  /** Tool calls, those of agents below included. */
  readonly calls: number;
  /** Tokens in, as far as they were reported. */
  readonly inputTokens: number;
  /** Tokens out, as far as they were reported. */
  readonly outputTokens: number;
  /** The cost in US dollars, where the prices are known. */
  readonly cost?: number;
  /** How its last run ended: the reason of its `run-end`, or `begun` for one that goes on or was cut off. */
  readonly state: string;
  /** The mark of the process that has it open. */
  readonly writer?: string;
  /** The id of that process. */
  readonly writerPid?: number;
}

/** The columns that `toRecord` reads. */
export const RECORD_COLUMNS =
  'number, id, name, folder, title, provider, model, flags, created_ms, changed_ms, turns, calls, tokens_in, tokens_out, cost, state, writer, writer_pid';

/** How many digits of an id are shown. */
export const SHORT_ID = 8;

/** Reads a row of `sessions`. */
export function toRecord(row: Row): SessionRecord {
  const [name, writer, pid] = [textIn(row, 'name'), textIn(row, 'writer'), numberIn(row, 'writer_pid')];
  return {
    number: numberIn(row, 'number'),
    id: textIn(row, 'id'),
    ...(name === '' ? {} : { name }),
    folder: textIn(row, 'folder'),
    title: textIn(row, 'title'),
    provider: textIn(row, 'provider'),
    model: textIn(row, 'model'),
    flags: jsonIn(row, 'flags'),
    createdMs: numberIn(row, 'created_ms'),
    changedMs: numberIn(row, 'changed_ms'),
    turns: numberIn(row, 'turns'),
    calls: numberIn(row, 'calls'),
    inputTokens: numberIn(row, 'tokens_in'),
    outputTokens: numberIn(row, 'tokens_out'),
    ...(typeof row['cost'] === 'number' ? { cost: row['cost'] } : {}),
    state: textIn(row, 'state'),
    ...(writer === '' ? {} : { writer }),
    ...(pid === 0 ? {} : { writerPid: pid }),
  };
}

/** What a session is called in messages: its name, or the beginning of its id. */
export function calledOf({ name, id }: Pick<SessionRecord, 'name' | 'id'>): string {
  return name === undefined ? id.slice(0, SHORT_ID) : `"${name}"`;
}

/** What `--json` and `sessions export` say of a session. Times are in ISO 8601. */
export function recordJson(record: SessionRecord): Readonly<Record<string, unknown>> {
  const { id, name, folder, title, provider, model, flags, turns, calls, inputTokens, outputTokens, cost, state } =
    record;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    folder,
    title,
    provider,
    model,
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    created: new Date(record.createdMs).toISOString(),
    changed: new Date(record.changedMs).toISOString(),
    state,
    turns,
    calls,
    usage: { inputTokens, outputTokens },
    ...(cost === undefined ? {} : { cost }),
  };
}

/** How a run ended, in a word or two, by the reason of its `run-end`. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['done', 'answered'],
  ['handled', 'answered'],
  ['aborted', 'interrupted'],
  ['error', 'failed'],
  ['limit', 'at a limit'],
  ['length', 'cut short'],
  ['filtered', 'filtered'],
  ['loop', 'in a loop'],
  ['approval', 'waits for approval'],
]);

/** How a run ended, in a word or two; one without an end goes on, or the program was ended. */
export function endText(reason: string | undefined): string {
  return reason === undefined ? 'cut off' : (TEXTS.get(reason) ?? reason);
}

/** The state of a session, in a word or two. */
export function stateText({ state, writer }: SessionRecord, isRunning: (mark: string) => boolean): string {
  if (writer !== undefined && isRunning(writer)) return 'open';
  return endText(state === 'begun' ? undefined : state);
}
