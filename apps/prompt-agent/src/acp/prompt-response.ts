import type { RunEnd, Usage } from '@kernel/protocol';
import type { PromptResponse } from '@agentclientprotocol/sdk/unstable';
import { whyNoAnswer } from '../run-ends.ts';
import { isRefusedKey, toRequestError } from './request-error.ts';
import type { SendUpdate } from './view/show-turn.ts';
import { textBlock } from './view/text-content.ts';

/**
 * How a run ended, as the answer to a prompt. Throws the error of a run that failed; why another one has no answer is said as a message. `onRefusedKey` is called where
 * the vendor refused the key.
 */
export async function toResponse(end: RunEnd, send: SendUpdate, onRefusedKey: () => void): Promise<PromptResponse> {
  if (end.reason === 'error') {
    if (isRefusedKey(end.error)) onRefusedKey();
    throw toRequestError(end.error);
  }
  const why = end.reason === 'aborted' ? undefined : whyNoAnswer(end);
  if (why !== undefined) {
    const sentence = why.replace(/^prompt-agent: (.)/, (_, first: string) => first.toUpperCase());
    await send({ sessionUpdate: 'agent_message_chunk', content: textBlock(sentence) });
  }
  return { stopReason: stopReasonOf(end), usage: toUsage(end.usage) };
}

function stopReasonOf({ reason }: RunEnd): PromptResponse['stopReason'] {
  switch (reason) {
    case 'aborted':
      return 'cancelled';
    case 'length':
      return 'max_tokens';
    case 'limit':
      return 'max_turn_requests';
    case 'filtered':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

function toUsage({ inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens }: Usage) {
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    ...(reasoningTokens !== undefined && { thoughtTokens: reasoningTokens }),
    ...(cachedInputTokens !== undefined && { cachedReadTokens: cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cachedWriteTokens: cacheWriteTokens }),
  };
}
