import type { CommandSetting } from '../questions/show-call.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from './event-fields.ts';
import type { StoredEvent } from './export-session.ts';
import type { SessionRecord } from './session-record.ts';

/** A session as it is shown: what was asked, answered and called, and when. */
export interface Transcript {
  readonly session: SessionRecord;
  readonly runs: readonly RunView[];
}

export interface RunView {
  /** The name of the agent; empty for the session's own run. */
  readonly agent: string;
  /** What was asked; empty for a run that went on with what was pending, and for agents. */
  readonly prompts: readonly string[];
  /** The provider and the model, as in `openai/gpt-4o`; empty for agents. */
  readonly model: string;
  readonly commands?: CommandSetting;
  readonly startMs: number;
  endMs: number;
  readonly turns: TurnView[];
  /** The reason of its `run-end`; undefined for one that goes on or was cut off. */
  reason?: string;
  error?: { readonly code: string; readonly message: string; readonly hint: string };
}

/** One model call with the tool calls that it asked for. */
export interface TurnView {
  readonly turn: number;
  readonly startMs: number;
  /** When its reply was complete; undefined where it never was. */
  replyMs?: number;
  text: string;
  reasoning: string;
  usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly calls: CallView[];
  /** What happened besides: warnings, replies that broke off, messages from outside. */
  readonly notes: string[];
}

export interface CallView {
  readonly id: string;
  readonly name: string;
  /** The argument text, perhaps cut. */
  readonly arguments: string;
  /** The length of the whole argument text. */
  readonly argumentsLength: number;
  /** When it began; undefined for one that has not. */
  startMs?: number;
  /** How long it took, in milliseconds; undefined for one that has no result. */
  durationMs?: number;
  /** What the model read of the result, perhaps cut. */
  result?: string;
  resultLength: number;
  forUser?: string;
  isError: boolean;
  /** How it ended, if not as `done`, such as `denied`. */
  outcome?: string;
  isApproved: boolean;
  readonly runs: RunView[];
}

/** Arranges the events of a session. What does not fit, as events of a newer release or of a damaged row, is left out. */
export function toTranscript(session: SessionRecord, events: readonly StoredEvent[]): Transcript {
  const runs: RunView[] = [];
  /** The run that goes on at each path. */
  const current = new Map<string, RunView>();
  for (const { path, event, atMs } of events) {
    const key = path.join('\n');
    let run = current.get(key);
    if (
      event['type'] === 'run-start' ||
      run === undefined ||
      (run.reason !== undefined && event['type'] === 'turn-start')
    ) {
      run = beginRun(event, path, atMs);
      if (path.length === 0) runs.push(run);
      else callOf(current.get(path.slice(0, -2).join('\n')), path.at(-1) ?? '')?.runs.push(run);
      current.set(key, run);
    }
    run.endMs = atMs;
    apply(run, event, atMs);
  }
  return { session, runs };
}

function beginRun(event: Fields, path: readonly string[], atMs: number): RunView {
  const model = [textOf(event, 'provider'), textOf(event, 'model')].filter(Boolean).join('/');
  const prompts = textsOf(event, 'prompts');
  const commands = commandsOf(event);
  return {
    agent: path.at(-2) ?? '',
    prompts,
    model,
    ...(commands && { commands }),
    startMs: atMs,
    endMs: atMs,
    turns: [],
  };
}

/** How commands run, of what was kept of it; undefined where it was not. */
export function commandsOf(kept: unknown): CommandSetting | undefined {
  const { folder, timeoutMs, isolation } = fieldsOf(fieldsOf(kept)['commands']);
  if (typeof folder !== 'string' || typeof timeoutMs !== 'number') return undefined;
  return { folder, timeoutMs, isolation: typeof isolation === 'string' ? isolation : null };
}

function apply(run: RunView, event: Fields, atMs: number): void {
  switch (event['type']) {
    case 'turn-start':
      run.turns.push({ turn: numberOf(event, 'turn'), startMs: atMs, text: '', reasoning: '', calls: [], notes: [] });
      return;
    case 'message-end':
      applyReply(run.turns.at(-1), event, atMs);
      return;
    case 'tool-start': {
      const call = fieldsOf(event['call']);
      const id = textOf(call, 'id');
      // A call that was pending in an earlier run goes on in a turn of this one that has no reply of its own.
      const known = callOf(run, id) ?? addCall(run, toCall(call), atMs);
      known.startMs = atMs;
      return;
    }
    case 'tool-end': {
      const call = callOf(run, textOf(event, 'callId'));
      if (call === undefined) return;
      call.durationMs = numberOf(event, 'durationMs');
      call.startMs ??= atMs - call.durationMs;
      applyResult(call, event);
      return;
    }
    case 'tool-complete': {
      const call = callOf(run, textOf(event, 'callId'));
      if (call !== undefined) applyResult(call, event);
      return;
    }
    case 'approval-request': {
      const call = callOf(run, textOf(event, 'callId'));
      if (call !== undefined) call.isApproved = true;
      return;
    }
    case 'run-end':
      applyEnd(run, event);
      return;
    default:
      run.turns.at(-1)?.notes.push(...notesOf(event));
  }
}

function applyReply(turn: TurnView | undefined, event: Fields, atMs: number): void {
  if (turn === undefined) return;
  turn.replyMs = atMs;
  turn.text = textOf(event, 'text');
  turn.reasoning = textOf(event, 'reasoning');
  const usage = fieldsOf(event['usage']);
  if (typeof usage['inputTokens'] === 'number')
    turn.usage = { inputTokens: usage['inputTokens'], outputTokens: numberOf(usage, 'outputTokens') };
  for (const call of listOf(event, 'calls')) turn.calls.push(toCall(fieldsOf(call)));
  turn.notes.push(...textsOf(event, 'warnings').map((warning) => `warning: ${warning}`));
  turn.notes.push(...textsOf(event, 'dropped').map((name) => `not run: ${name}`));
}

function applyResult(call: CallView, event: Fields): void {
  call.result = textOf(event, 'text');
  call.resultLength = Math.max(numberOf(event, 'length'), call.result.length);
  if (typeof event['forUser'] === 'string') call.forUser = event['forUser'];
  call.isError = event['isError'] === true;
  if (typeof event['outcome'] === 'string') call.outcome = event['outcome'];
}

function applyEnd(run: RunView, event: Fields): void {
  const limit = textOf(event, 'limit');
  run.reason = textOf(event, 'reason');
  const error = fieldsOf(event['error']);
  if (typeof error['message'] === 'string')
    run.error = { code: textOf(error, 'code'), message: error['message'], hint: textOf(error, 'hint') };
  if (limit !== '') run.turns.at(-1)?.notes.push(`the limit of ${limit} was reached`);
}

function notesOf(event: Fields): readonly string[] {
  switch (event['type']) {
    case 'reply-withdrawn':
      return [`the reply broke off and was asked for again: ${textOf(event, 'message')}`];
    case 'output-rejected':
      return [`the answer did not fit its schema: ${textsOf(event, 'issues').join('; ')}`];
    case 'steer':
      return textsOf(event, 'prompts').map((text) => `said meanwhile: ${text}`);
    case 'server-tool':
      return [`the vendor's tool ${textOf(event, 'name')} ${event['isError'] === true ? 'failed' : 'ran'}`];
    default:
      return [];
  }
}

function callOf(run: RunView | undefined, id: string): CallView | undefined {
  for (let index = (run?.turns.length ?? 0) - 1; index >= 0; index -= 1) {
    const call = run?.turns[index]?.calls.find((each) => each.id === id);
    if (call !== undefined) return call;
  }
  return undefined;
}

function addCall(run: RunView, call: CallView, atMs: number): CallView {
  let turn = run.turns.at(-1);
  if (turn === undefined) {
    turn = { turn: 0, startMs: atMs, text: '', reasoning: '', calls: [], notes: [] };
    run.turns.push(turn);
  }
  turn.calls.push(call);
  return call;
}

function toCall(call: Fields): CallView {
  const text = textOf(call, 'arguments');
  return {
    id: textOf(call, 'id'),
    name: textOf(call, 'name'),
    arguments: text,
    argumentsLength: Math.max(text.length, numberOf(call, 'length')),
    resultLength: 0,
    isError: false,
    isApproved: false,
    runs: [],
  };
}
