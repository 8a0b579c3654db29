import { sliceHead, visible } from '@kernel/internal';
import { durationText, sizeText, tokenText } from '../output/quantities.ts';
import { showArguments } from '../questions/show-call.ts';
import { endText, isAnswered } from '../run-ends.ts';
import { SHORT_ID } from './session-record.ts';
import type { CallView, RunView, Transcript } from './transcript.ts';

const MAX_ARGUMENTS = 400;
const MAX_RESULT = 1000;

/** A transcript for people: one line or more for each message and call, every character visible. */
export function transcriptText({ session, runs }: Transcript): string {
  const { id, name, folder, createdMs, inputTokens, outputTokens } = session;
  const tokens = tokenText(inputTokens, outputTokens);
  const lines = [
    `session ${id.slice(0, SHORT_ID)}${name === undefined ? '' : ` "${name}"`}`,
    `begun ${new Date(createdMs).toISOString()} in ${folder}${tokens === '' ? '' : `, ${tokens}`}`,
    ...runs.flatMap((run) => ['', ...runLines(run)]),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

function runLines(run: RunView): readonly string[] {
  const { agent, prompts, turns, reason, error } = run;
  const asked =
    agent === '' && prompts.length === 0 ? ['(goes on)'] : prompts.flatMap((prompt) => block('> ', prompt.trim()));
  const replies = turns.flatMap(({ text, calls, notes }) => [
    ...notes.map((note) => `! ${note}`),
    ...(text.trim() === '' ? [] : ['', ...text.trim().split('\n')]),
    ...calls.flatMap(callLines),
  ]);
  const end = error === undefined ? endText(reason) : `${endText(reason)}: ${error.message} ${error.hint}`.trimEnd();
  return [...asked, ...replies, ...(isAnswered(reason) ? [] : ['', `! ${end}`])];
}

function callLines(call: CallView): readonly string[] {
  const { name, arguments: text, argumentsLength, durationMs, result, resultLength, forUser, isError, outcome } = call;
  const time = durationMs === undefined ? 'no result' : durationText(durationMs);
  const failed = isError ? ` ${outcome ?? 'failed'}` : '';
  const shown = forUser ?? result ?? '';
  const trimmed = shown.trimEnd();
  const given = showArguments(name, text);
  // Blank lines at the end are no loss.
  const whole = forUser === undefined && resultLength > shown.length ? resultLength : trimmed.length;
  return [
    '',
    `* ${name} ${cut(given, MAX_ARGUMENTS, argumentsLength > text.length ? argumentsLength : given.length)} (${time}${failed})`,
    ...(shown.trim() === '' ? [] : block('  | ', cut(trimmed, MAX_RESULT, whole))),
    ...call.runs.flatMap((run) => [`  agent ${run.agent}:`, ...runLines(run).map((line) => `    ${line}`.trimEnd())]),
  ];
}

function block(prefix: string, text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => (prefix + line).trimEnd());
}

function cut(text: string, max: number, whole: number): string {
  const isCut = text.length > max || whole > text.length;
  return isCut ? `${sliceHead(text, max)}… (${sizeText(whole)} in all)` : text;
}
