import { isObject, parseJson, truncate } from '@kernel/internal';
import { type Message, textOf, type ToolCall, toolCallsOf, type ToolMessage } from '@kernel/protocol';
import type { FileRecord } from '../changes/file-record.ts';
import { allowedText, isPermission } from './tools.ts';
import { nameFiles } from '../copy/skipped-files.ts';
import type { Decision } from '../requests/decisions.ts';

const MAX_REQUEST = 300;

/** The task that a history begins with. */
export function taskOf([first]: readonly Message[]): string {
  return first === undefined ? '' : textOf(first);
}

/** The results of the calls of the last reply. */
export function resultsOf(messages: readonly Message[]): readonly ToolMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(last + 1).filter((message): message is ToolMessage => message.role === 'tool');
}

/** What was decided on in a history, by the call. */
export function decisionsOf(messages: readonly Message[]): { name: string; arguments: string; decision: Decision }[] {
  const results = messages.filter((message): message is ToolMessage => message.role === 'tool');
  return results.flatMap((result) => {
    const call = messages.flatMap(toolCallsOf).find(({ id }) => id === result.toolCallId);
    if (call === undefined) return [];
    // A terminal that ran has run in the copy of an agent that is gone; one that was denied, or allowed later, has not.
    const isTerminal = call.name === 'run_command';
    const hasNotRun = isDenied(result) || result.content === allowedText(call.arguments);
    const isOpen = isPermission(call.id) || (isTerminal && hasNotRun);
    return !isOpen ? [] : [{ ...call, decision: decisionOf(result, messages) }];
  });
}

/** Whether a call was not allowed, and so did not run: what a command wrote stands behind how it ended. */
function isDenied({ content, isError }: ToolMessage): boolean {
  return isError === true && typeof content === 'string' && content.startsWith('TOOL_DENIED: ');
}

/** The call that a result is of. */
function callOf(toolCallId: string, messages: readonly Message[]): ToolCall | undefined {
  return messages.flatMap(toolCallsOf).findLast(({ id }) => id === toolCallId);
}

/** The arguments of a call; empty where they are no object. */
function inputOf(call: ToolCall | undefined): Readonly<Record<string, unknown>> {
  const input = parseJson(call?.arguments ?? '');
  return isObject(input) ? input : {};
}

/** What a result says of the request that its call is. */
export function decisionOf({ toolCallId, content, isError }: ToolMessage, messages: readonly Message[]): Decision {
  const call = callOf(toolCallId, messages);
  const text = typeof content === 'string' ? content : textOf({ role: 'user', content });
  if (isError === true || call === undefined) return { isAllowed: false, reason: text };
  // An agent does what it asked for, whatever a person made of it.
  if (isPermission(toolCallId) && !text.includes(allowedText(call.arguments)))
    return { isAllowed: false, reason: 'The request was edited, and the agent can only be allowed what it asked for.' };
  return { isAllowed: true };
}

/** What the result of a call that was not allowed begins with, before the reason. */
const DENIED = /^TOOL_DENIED: "[\w.-]{1,64}" was not allowed: /;

/** That a request was not allowed, which one, and why, for the calling model. */
export function describeDenial({ toolCallId }: ToolMessage, messages: readonly Message[], reason: string): string {
  const { command, title } = inputOf(callOf(toolCallId, messages));
  const what = Array.isArray(command) ? `The command ${JSON.stringify(command)}` : JSON.stringify(title ?? '');
  return `${truncate(what, MAX_REQUEST)} was not allowed: ${reason.replace(DENIED, '')}`;
}

/** What became of the changes, for the calling model. */
export function describeOutcome({ toolCallId, content, isError }: ToolMessage, messages: readonly Message[]): string {
  const text = typeof content === 'string' ? content : textOf({ role: 'user', content });
  if (isError !== true) return text;
  const { files } = inputOf(callOf(toolCallId, messages));
  const paths = Array.isArray(files) ? files.map((file: FileRecord) => file.path) : [];
  const named = paths.length === 0 ? '' : ` It had changed ${nameFiles(paths)}.`;
  return `The agent's changes were not applied. ${text}${named}`;
}
