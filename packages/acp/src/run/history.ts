import { isObject, parseJson, truncate } from '@kernel/internal';
import { type Message, textOf, type ToolCall, toolCallsOf } from '@kernel/protocol';
import type { FileRecord } from '../changes/file-record.ts';
import { nameFiles } from '../copy/skipped-files.ts';
import type { Decision } from '../agent/task.ts';
import { allowedText, isPermission } from './tools.ts';

/** A call of an earlier reply with its result. */
export interface AnsweredCall {
  readonly call: ToolCall;
  readonly isError: boolean;
  readonly text: string;
  /** Whether it is one of the last reply. */
  readonly isLast: boolean;
}

const MAX_REQUEST = 300;
/** What the result of a call that was not allowed begins with, before the reason. */
const DENIED = /^TOOL_DENIED: "[\w.-]{1,64}" was not allowed: /;

/** Returns the calls of a history that have a result. */
export function answersIn(messages: readonly Message[]): readonly AnsweredCall[] {
  const calls = new Map<string, ToolCall>();
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.flatMap((message, at): readonly AnsweredCall[] => {
    for (const call of toolCallsOf(message)) calls.set(call.id, call);
    const call = message.role === 'tool' ? calls.get(message.toolCallId) : undefined;
    if (message.role !== 'tool' || call === undefined) return [];
    return [{ call, isError: message.isError === true, text: textOf(message), isLast: at > last }];
  });
}

/** Whether a new agent gets the same answer as the previous one: not for a command that ran in a removed copy. */
export function isStillOpen({ call, isError, text }: AnsweredCall): boolean {
  const hasNotRun = (isError && text.startsWith('TOOL_DENIED: ')) || text === allowedText(call.arguments);
  return isPermission(call.id) || (call.name === 'run_command' && hasNotRun);
}

/** Returns what a result says of the request that its call is. */
export function decisionOf({ call, isError, text }: AnsweredCall): Decision {
  if (isError) return { isAllowed: false, reason: text };
  // An agent does what it asked for, whatever a person made of it.
  if (isPermission(call.id) && !text.includes(allowedText(call.arguments)))
    return { isAllowed: false, reason: 'The request was edited, and the agent can only be allowed what it asked for.' };
  return { isAllowed: true };
}

/** Says which request was not allowed, and why, for the calling model. */
export function describeDenial({ call }: AnsweredCall, reason: string): string {
  const { command, title = '' } = inputOf(call);
  const what = Array.isArray(command) ? `The command ${JSON.stringify(command)}` : JSON.stringify(title);
  return `${truncate(what, MAX_REQUEST)} was not allowed: ${reason.replace(DENIED, '')}`;
}

/** Says what became of the changes, for the calling model. */
export function describeOutcome({ call, isError, text }: AnsweredCall): string {
  if (!isError) return text;
  const { files } = inputOf(call);
  const named = Array.isArray(files) ? ` It had changed ${nameFiles(files.map(({ path }: FileRecord) => path))}.` : '';
  return `The agent's changes were not applied. ${text}${named}`;
}

/** Returns the arguments of a call; empty where they are no object. */
function inputOf(call: ToolCall): Readonly<Record<string, unknown>> {
  const input = parseJson(call.arguments);
  return isObject(input) ? input : {};
}
