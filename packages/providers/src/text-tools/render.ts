import {
  type AssistantMessage,
  type MediaPart,
  type Message,
  type ProviderRequest,
  type ReasoningPart,
  type TextPart,
  type Tool,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from '@kernel/protocol';
import type { TextFormat } from './format.ts';

/** Writes requests without tools: the tools stand in the system prompt, calls and results of the history in the text. */
export interface Renderer {
  render(request: ProviderRequest): ProviderRequest;
}

type Choice = ProviderRequest['toolChoice'];

/** Creates a renderer for one format. What was written for a list of tools or a frozen message is kept, so that prompt caches hit. */
export function createRenderer(format: TextFormat): Renderer {
  const prompts = new WeakMap<readonly Tool[], string>();
  const written = new WeakMap<Message, Message>();
  const turns = new WeakMap<Message, { readonly from: readonly ToolMessage[]; readonly message: Message }>();

  function promptOf(tools: readonly Tool[]): string {
    const known = prompts.get(tools) ?? format.prompt(tools);
    prompts.set(tools, known);
    return known;
  }

  function assistant(message: AssistantMessage): Message {
    if (toolCallsOf(message).length === 0) return message;
    const known = written.get(message);
    if (known !== undefined) return known;
    const made = Object.freeze({ ...message, content: Object.freeze(printed(message, format)) });
    if (Object.isFrozen(message)) written.set(message, made);
    return made;
  }

  /** All results of a turn in one user message: many templates want the sides to alternate. */
  function results(messages: readonly ToolMessage[]): Message {
    const [first] = messages;
    const known = first === undefined ? undefined : turns.get(first);
    if (known?.from.length === messages.length && known.from.every((one, at) => one === messages[at]))
      return known.message;
    const text = messages.map((one) => resultText(one, format)).join('\n');
    const media = messages.flatMap(mediaOf);
    const content: readonly (TextPart | MediaPart)[] = [{ type: 'text', text }, ...media];
    const message: Message = Object.freeze({ role: 'user', content: media.length === 0 ? text : content });
    if (first !== undefined && messages.every((one) => Object.isFrozen(one)))
      turns.set(first, { from: messages, message });
    return message;
  }

  return {
    render({ tools = [], toolChoice, messages, ...rest }) {
      const out: Message[] = [];
      const offered = toolChoice === 'none' ? [] : tools;
      const prompt = offered.length === 0 ? '' : promptOf(offered) + mustCall(toolChoice);
      let pending: ToolMessage[] = [];
      for (const message of messages) {
        if (message.role === 'tool') {
          pending.push(message);
          continue;
        }
        if (pending.length > 0) out.push(results(pending));
        pending = [];
        out.push(message.role === 'assistant' ? assistant(message) : message);
      }
      if (pending.length > 0) out.push(results(pending));
      return { ...rest, messages: prompt === '' ? out : withPrompt(out, prompt) };
    },
  };
}

function withPrompt(messages: readonly Message[], prompt: string): readonly Message[] {
  const at = messages.findIndex((message) => message.role === 'system');
  const first = messages[at];
  if (first?.role !== 'system') return [{ role: 'system', content: prompt }, ...messages];
  const content = first.content === '' ? prompt : `${first.content}\n\n${prompt}`;
  return messages.with(at, { role: 'system', content });
}

function mustCall(choice: Choice): string {
  if (choice === 'required') return '\n\nYou must call a function in your next answer.';
  return typeof choice === 'object' ? `\n\nYou must call the function "${choice.name}" in your next answer.` : '';
}

/** Text, reasoning and calls in their order; neighbouring calls are written together. */
function printed(message: AssistantMessage, format: TextFormat): readonly (TextPart | ReasoningPart)[] {
  const parts: (TextPart | ReasoningPart)[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') parts.push({ type: 'text', text });
    text = '';
  };
  for (let at = 0; at < message.content.length; at += 1) {
    const part = message.content[at];
    if (part?.type === 'text') text += part.text;
    else if (part?.type === 'reasoning') {
      flush();
      parts.push(part);
    } else if (part !== undefined) {
      const calls = [part];
      for (let next = message.content[at + 1]; next?.type === 'tool-call'; next = message.content[at + 1]) {
        calls.push(next);
        at += 1;
      }
      const block = format.calls(calls.map((call) => ({ name: call.name, arguments: whole(call.arguments) })));
      text += text === '' || text.endsWith('\n') ? block : `\n${block}`;
    }
  }
  flush();
  return parts;
}

/** Arguments that are no JSON object were refused as such: they go back as the text that they are. */
function whole(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Told below.
  }
  return text.trim() === '' ? '{}' : JSON.stringify({ invalid: text });
}

function resultText(message: ToolMessage, format: TextFormat): string {
  const isError = message.isError === true;
  const text = textOf(message);
  return format.result({
    name: message.name,
    text: isError && !/^error/i.test(text) ? `Error: ${text}` : text,
    isError,
  });
}

function mediaOf(message: ToolMessage): readonly MediaPart[] {
  if (typeof message.content === 'string') return [];
  return message.content.filter((part) => part.type !== 'text');
}
