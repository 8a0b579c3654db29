// The Vercel AI SDK.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';

globalThis.AI_SDK_LOG_WARNINGS = false;
const modelAt = (baseURL, model = 'm') => createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' })(model);
const MESSAGES = [{ role: 'user', content: 'Go.' }];

export function loop(url, { turns, streamed, tools, handler }) {
  const model = modelAt(url);
  const set = Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters), execute: handler }),
    ]),
  );
  const request = { model, messages: MESSAGES, tools: set, stopWhen: isStepCount(turns + 2), maxRetries: 0 };
  return async ({ signal: abortSignal } = {}) =>
    streamed ? streamText({ ...request, abortSignal }).text : (await generateText({ ...request, abortSignal })).text;
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    const request = { model: modelAt(url, model), messages: MESSAGES, maxRetries: 0, abortSignal: signal };
    for await (const piece of streamText({ ...request, onError() {} }).textStream) {
      all += piece;
      onText?.(piece);
    }
    return all;
  };
}
