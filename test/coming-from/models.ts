/** Models of each library that call `weather` once, and answer with what the tool returned. */
import { type Model, Usage } from '@openai/agents-core';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import type { Provider } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const CITY = { city: 'Lisbon' };

/** The answer to a history: the degrees in it. */
function answerTo(history: unknown): string {
  const celsius = /celsius\W+(\d+)/.exec(JSON.stringify(history))?.[1];
  return `It is ${celsius} °C in Lisbon.`;
}

/** A model of the AI SDK. */
export function aiSdkModel(): LanguageModel {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let turn = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      turn += 1;
      if (turn > 1)
        return {
          content: [{ type: 'text', text: answerTo(prompt) }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        };
      return {
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: JSON.stringify(CITY) }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

/** A model of the OpenAI Agents SDK. */
export function openAiAgentsModel(): Model {
  let turn = 0;
  return {
    async getResponse({ input }) {
      turn += 1;
      const call = { type: 'function_call', callId: 'c1', name: 'weather', status: 'completed' } as const;
      const message = { type: 'message', role: 'assistant', status: 'completed' } as const;
      return {
        usage: new Usage(),
        output:
          turn === 1
            ? [{ ...call, arguments: JSON.stringify(CITY) }]
            : [{ ...message, content: [{ type: 'output_text', text: answerTo(input) }] }],
      };
    },
    getStreamedResponse() {
      throw new Error('not used');
    },
  };
}

/** A model of LangChain. */
export function langChainModel(): BaseChatModel {
  return fakeModel()
    .respondWithTools([{ name: 'weather', args: CITY, id: 'c1' }])
    .respond((messages) => new AIMessage(answerTo(messages.map(({ content }) => content))));
}

/** A provider of ours. */
export function kernelProvider(): Provider {
  return scriptedProvider([
    { calls: [{ name: 'weather', arguments: CITY }] },
    ({ messages }) => ({ text: answerTo(messages) }),
  ]);
}
