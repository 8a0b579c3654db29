import { textOf, type ToolResult } from '@kernel/protocol';
import type { RunResult } from '../collect.ts';

const MAX_CALLS = 20;

/** What an agent that did not come to its end had done and said, so that nobody takes its work for done or not begun. */
export function describeWork({ messages, toolCalls }: RunResult): string {
  const text = messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message)] : [])).findLast(Boolean);
  const said = text === undefined ? '' : ` So far: ${text}`;
  return `${describeCalls(toolCalls)}${said}`;
}

function describeCalls(calls: RunResult['toolCalls']): string {
  if (calls.length === 0) return 'It had made no calls.';
  const shown = calls.slice(-MAX_CALLS).map(({ call, result }) => `${call.name} (${endOf(result)})`);
  const earlier = calls.length > shown.length ? `${calls.length - shown.length} earlier ones, ` : '';
  return `Its calls until then: ${earlier}${shown.join(', ')}.`;
}

function endOf({ outcome, isError }: ToolResult): string {
  return outcome ?? (isError === true ? 'failed' : 'done');
}
