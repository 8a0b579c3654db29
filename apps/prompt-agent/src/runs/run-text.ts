import type { RecordedRun, WaitingCall } from '@kernel/durable';
import { isObject, sliceHead, visible } from '@kernel/internal';
import { oneLine } from '../output/escape.ts';
import { ageOf, sizeText } from '../output/quantities.ts';
import { wrapLines } from '../output/terminal/wrap-lines.ts';
import { type CommandSetting, showArguments, showCall } from '../questions/show-call.ts';
import { endText, isAnswered } from '../run-ends.ts';

const MAX_SUMMARY = 4000;
const MAX_CALLS = 50;

interface RunTextOptions {
  readonly commands: CommandSetting | undefined;
  /** The width of the terminal; undefined for anything else, where lines are as long as they are. */
  readonly columns: number | undefined;
}

/** A run for people, every character visible: how it is, each call that waits whole, in the lines in which it would be asked about, and how it ended. */
export function runText(run: RecordedRun, waiting: readonly WaitingCall[], options: RunTextOptions) {
  const { id, agent, version, status, crashes, createdAt, updatedAt } = run;
  const died = crashes === 0 ? '' : `, its process died ${crashes === 1 ? 'once' : `${crashes} times`}`;
  const head = [
    visible(`run ${oneLine(id, 500)}: ${status}`),
    visible(`agent ${oneLine(agent, 200)}, version ${oneLine(version, 200)}`),
    `begun ${createdAt.toISOString()}, changed ${ageOf(updatedAt.getTime())} ago${died}`,
  ];
  const calls = [
    ...waiting.slice(0, MAX_CALLS).flatMap((call) => ['', ...waitingLines(call, options)]),
    ...(waiting.length > MAX_CALLS ? ['', `${waiting.length - MAX_CALLS} more calls wait: --json has all.`] : []),
  ];
  return { head: text(head), calls: text(calls), end: text(endLines(run)) };
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

export function callSummary(name: string, json: string): string {
  const given = showArguments(name, json);
  const cut = given.length > MAX_SUMMARY ? `… cut: ${sizeText(given.length)} in all` : '';
  return `${visible(oneLine(name, 200))} ${visible(sliceHead(given, MAX_SUMMARY)).replaceAll('\n', ' ')}${cut}`;
}

function waitingLines(
  { callId, kind, call, since, deadlineAt }: WaitingCall,
  { commands, columns }: RunTextOptions,
): readonly string[] {
  const what = kind === 'approval' ? 'waits for a decision' : 'has an unknown outcome';
  const until = deadlineAt === undefined ? '' : `; denied at ${deadlineAt.toISOString()}`;
  return [
    `call ${visible(oneLine(callId, 500))} ${what} since ${since.toISOString()}${until}`,
    ...wrapLines(
      showCall(call.name, call.arguments, commands).map((line) => `  ${line}`),
      columns ?? Infinity,
    ),
  ];
}

function endLines({ result }: RecordedRun): readonly string[] {
  if (result === undefined) return [];
  const { reason, error, limit } = result;
  const answer = typeof result.answer === 'string' ? result.answer : '';
  const of = typeof limit !== 'string' ? '' : ` of ${oneLine(limit, 80)}`;
  return [
    ...(answer.trim() === '' ? [] : ['', ...visible(answer.trimEnd()).split('\n')]),
    ...(isAnswered(reason) ? [] : ['', visible(oneLine(`! ${endText(reason)}${of}${errorText(error)}`, 4000))]),
  ];
}

/** What the JSON of an error says, after a colon; empty for none. */
function errorText(error: unknown): string {
  if (!isObject(error)) return '';
  const { message, hint } = error;
  if (typeof message !== 'string') return '';
  return `: ${oneLine(`${message} ${typeof hint === 'string' ? hint : ''}`, 2000)}`;
}

export function runJson({ id, agent, version, status, crashes, createdAt, updatedAt }: RecordedRun): object {
  return {
    id,
    agent,
    agentVersion: version,
    status,
    crashes,
    created: createdAt.toISOString(),
    changed: updatedAt.toISOString(),
  };
}

/** What `--json` says of the end of a run: all but its history, which the events have. */
export function resultJson({ result }: RecordedRun): object {
  if (result === undefined) return {};
  const { messages: _messages, ...rest } = result;
  return { result: rest };
}

export function waitingJson({ callId, kind, call, since, deadlineAt }: WaitingCall): object {
  return {
    call: callId,
    kind,
    name: call.name,
    arguments: call.arguments,
    since: since.toISOString(),
    deadline: deadlineAt?.toISOString(),
  };
}
