// The Agents SDK of OpenAI, over chat completions.
import { Agent, OpenAIChatCompletionsModel, run, RunContext, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
const modelAt = (baseURL, model = 'm') =>
  new OpenAIChatCompletionsModel(new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 }), model);

export function loop(url, { turns, streamed, tools, handler }) {
  const agent = new Agent({
    name: 'bench',
    model: modelAt(url),
    tools: tools.map(({ name, description, parameters }) =>
      tool({ name, description, parameters, strict: false, execute: handler }),
    ),
  });
  return async ({ signal } = {}) => {
    const result = await run(agent, 'Go.', { maxTurns: turns + 2, stream: streamed, signal });
    if (streamed) await result.completed;
    return result.finalOutput;
  };
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    const agent = new Agent({ name: 'bench', model: modelAt(url, model) });
    const result = await run(agent, 'Go.', { stream: true, signal });
    for await (const piece of result.toTextStream()) {
      all += piece;
      onText?.(piece);
    }
    return all;
  };
}

export function execute(tools, handler) {
  const bound = new Map(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ name, description, parameters, strict: false, execute: handler }),
    ]),
  );
  const context = new RunContext();
  return (name, args) => bound.get(name).invoke(context, args);
}
