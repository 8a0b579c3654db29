import type { LogEvent, RecordedRun, WaitingCall } from '@kernel/durable';
import { isObject } from '@kernel/internal';
import { type Message, toolCallsOf } from '@kernel/protocol';
import { oneLine } from '../output/escape.ts';
import { sessionPage } from '../output/html/session-page.ts';
import type { CommandSetting } from '../questions/show-call.ts';
import { fieldsOf, numberOf } from '../sessions/event-fields.ts';
import type { StoredEvent } from '../sessions/export-session.ts';
import { promptTexts, toSessionEvent } from '../sessions/session-event.ts';
import { type SessionRecord, toRecord } from '../sessions/session-record.ts';
import { toTranscript } from '../sessions/transcript.ts';

const MAX_ID = 500;

interface JournaledRun {
  readonly run: RecordedRun;
  readonly messages: readonly Message[];
  readonly commands: CommandSetting | undefined;
  readonly events: readonly LogEvent[];
  readonly waiting: readonly WaitingCall[];
}

export function runPage(journaled: JournaledRun): string {
  const { run, messages, commands, events, waiting } = journaled;
  const { id, agent, version, status, crashes } = run;
  const stored = [startOf(run, messages, commands), ...toStored(events), ...endOf(journaled)];
  const shown = oneLine(id, MAX_ID);
  const calls = waiting.map(
    ({ callId, kind }) => `${oneLine(callId, MAX_ID)}${kind === 'unknown' ? ' (unknown)' : ''}`,
  );
  return sessionPage(toTranscript(recordOf(run, stored), stored), {
    kind: 'run',
    id: shown,
    title: shown,
    facts: [
      ['Agent', `${oneLine(agent, MAX_ID)}, version ${oneLine(version, MAX_ID)}`],
      ['Status', status],
      ...(calls.length === 0 ? [] : [['Waiting', calls.join(', ')] as const]),
      ...(crashes === 0 ? [] : [['Crashes', String(crashes)] as const]),
    ],
    command: 'prompt-agent runs show --html',
  });
}

function startOf(
  { createdAt }: RecordedRun,
  messages: readonly Message[],
  commands: CommandSetting | undefined,
): StoredEvent {
  return toStoredEvent(createdAt.getTime(), [], { type: 'run-start', prompts: promptsOf(messages), commands });
}

/** What was asked last; nothing where the journal holds something else than messages. */
function promptsOf(messages: readonly Message[]): readonly string[] {
  try {
    const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    return promptTexts(messages.slice(from).filter(({ role }) => role === 'user'));
  } catch {
    return [];
  }
}

function toStored(events: readonly LogEvent[]): readonly StoredEvent[] {
  /** The name of the tool of each call, by id, since the events of a sub-agent name only the call it is in. */
  const names = new Map<string, string>();
  return events.flatMap(({ at, step, event }) => {
    try {
      if (event.type === 'message-end') for (const call of toolCallsOf(event.message)) names.set(call.id, call.name);
      const data = toSessionEvent(event, at)?.data;
      return data === undefined ? [] : [toStoredEvent(at, pathOf(step, names), data)];
    } catch {
      return []; // not what its type promises
    }
  });
}

/** Returns the path of agents that a step is in, from the calls before its own: `tool:c1/model:1` is in the agent of c1. */
function pathOf(step: string, names: ReadonlyMap<string, string>): readonly string[] {
  const outer = step.split('/').slice(0, -1);
  const ids = outer.flatMap((part) =>
    part.startsWith('tool:') ? [part.slice('tool:'.length).replace(/#\d+$/, '')] : [],
  );
  return ids.flatMap((id) => [names.get(id) ?? 'agent', id]);
}

/** How to describe a run without a `run-end`, by status. */
const STATUS: Readonly<Partial<Record<RecordedRun['status'], string>>> = {
  queued: 'queued',
  running: 'running',
  waiting: 'approval',
  cancelled: 'cancelled',
};

function endOf({ run, events, waiting }: JournaledRun): readonly StoredEvent[] {
  const { status, result, updatedAt } = run;
  if (events.some(({ step, event }) => step === '' && event.type === 'run-end')) return [];
  const isUnknown = status === 'waiting' && waiting.every(({ kind }) => kind === 'unknown');
  const reason = isUnknown ? 'waiting: the outcome of a call is unknown' : (STATUS[status] ?? status);
  const error = isObject(result?.error) ? { error: fieldsOf(result.error) } : {};
  return [toStoredEvent(updatedAt.getTime(), [], { type: 'run-end', reason, ...error })];
}

function toStoredEvent(atMs: number, path: readonly string[], event: object): StoredEvent {
  return { at: new Date(atMs).toISOString(), atMs, path, event: { ...event } };
}

function recordOf({ id, status, createdAt, updatedAt }: RecordedRun, events: readonly StoredEvent[]): SessionRecord {
  const replies = events.filter(({ event }) => event['type'] === 'message-end').map(({ event }) => event);
  const tokens = (key: string): number =>
    replies.reduce((sum, each) => sum + numberOf(fieldsOf(each['usage']), key), 0);
  return {
    ...toRecord({}),
    id,
    createdMs: createdAt.getTime(),
    changedMs: updatedAt.getTime(),
    turns: replies.length,
    calls: events.filter(({ event }) => event['type'] === 'tool-start').length,
    inputTokens: tokens('inputTokens'),
    outputTokens: tokens('outputTokens'),
    state: status,
  };
}
