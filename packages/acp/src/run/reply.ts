import type { AssistantMessage, FinishReason, MessageEnd, ProviderEvent, Usage } from '@kernel/protocol';
import type { AgentOutput } from '../agent/updates.ts';

/** A part of a reply. */
export type Part = AssistantMessage['content'][number];

/** Adds what an agent said to a reply, and reports it. */
export function* addPart(output: AgentOutput, parts: Part[]): Generator<ProviderEvent, void> {
  if (output.type === 'server-tool-call' || output.type === 'server-tool-result') {
    parts.push(output);
    yield output;
    return;
  }
  const { type, text } = output;
  const last = parts.at(-1);
  if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text };
  else parts.push({ type, text });
  yield type === 'text' ? { type: 'text-delta', text } : { type: 'reasoning-delta', text };
}

/** A reply of an agent, which the run takes for that of a model. */
export function replyOf(content: readonly Part[], finishReason: FinishReason, usage: Usage): MessageEnd {
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason, usage };
}

/** The usage of a reply whose tokens were counted before. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** What it said last: after the last of its own calls, or else all of it. */
export function answerOf(parts: readonly Part[]): string {
  const textIn = (some: readonly Part[]): string =>
    some
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('')
      .trim();
  const lastCall = parts.findLastIndex(({ type }) => type === 'server-tool-result');
  return textIn(parts.slice(lastCall + 1)) || textIn(parts);
}
