import {
  type AssistantMessage,
  type MediaPart,
  type Message,
  type ProviderRequest,
  type TextPart,
  type Tool,
  type ToolCall,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from '@kernel/protocol';
import { asFields, parseJson } from '../json-fields.ts';
import type { TextFormat } from './format.ts';

/** The text of a list of tools and of each frozen message is cached, so that prompt caches hit. */
export function createRenderer(format: TextFormat) {
  const prompts = new WeakMap<readonly Tool[], string>();
  const rendered = new WeakMap<Message, Message>();
  const resultMessages = new WeakMap<Message, { readonly from: readonly ToolMessage[]; readonly message: Message }>();

  function promptOf(tools: readonly Tool[]): string {
    const known = prompts.get(tools) ?? format.prompt(tools);
    prompts.set(tools, known);
    return known;
  }

  function assistant(message: AssistantMessage): Message {
    if (toolCallsOf(message).length === 0) return message;
    const known = rendered.get(message);
    if (known !== undefined) return known;
    const text = Object.freeze({ ...message, content: Object.freeze(withTextCalls(message, format)) });
    if (Object.isFrozen(message)) rendered.set(message, text);
    return text;
  }

  /** All results go into one user message, since many templates require alternating roles. */
  function results(messages: readonly ToolMessage[]): Message {
    const [first] = messages;
    const known = first === undefined ? undefined : resultMessages.get(first);
    if (known?.from.length === messages.length && known.from.every((one, at) => one === messages[at]))
      return known.message;
    const text = messages.map((one) => resultText(one, format)).join('\n');
    const media = messages.flatMap(mediaOf);
    const content: readonly (TextPart | MediaPart)[] = [{ type: 'text', text }, ...media];
    const message: Message = Object.freeze({ role: 'user', content: media.length === 0 ? text : content });
    if (first !== undefined && messages.every((one) => Object.isFrozen(one)))
      resultMessages.set(first, { from: messages, message });
    return message;
  }

  return ({ tools = [], toolChoice, messages, ...rest }: ProviderRequest): ProviderRequest => {
    const out: Message[] = [];
    const offeredTools = toolChoice === 'none' ? [] : tools;
    const prompt = offeredTools.length === 0 ? '' : promptOf(offeredTools) + mustCallText(toolChoice);
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
  };
}

function withPrompt(messages: readonly Message[], prompt: string): readonly Message[] {
  const at = messages.findIndex((message) => message.role === 'system');
  const first = messages[at];
  if (first?.role !== 'system') return [{ role: 'system', content: prompt }, ...messages];
  const content = first.content === '' ? prompt : `${first.content}\n\n${prompt}`;
  return messages.with(at, { role: 'system', content });
}

function mustCallText(choice: ProviderRequest['toolChoice']): string {
  if (choice === 'required') return '\n\nYou must call a function in your next answer.';
  return typeof choice === 'object' ? `\n\nYou must call the function "${choice.name}" in your next answer.` : '';
}

/** Adjacent calls are written together. */
function withTextCalls(message: AssistantMessage, format: TextFormat): AssistantMessage['content'] {
  const parts: Exclude<AssistantMessage['content'][number], ToolCall>[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') parts.push({ type: 'text', text });
    text = '';
  };
  for (let at = 0; at < message.content.length; at += 1) {
    const part = message.content[at];
    if (part?.type === 'text') text += part.text;
    else if (part !== undefined && part.type !== 'tool-call') {
      flush();
      parts.push(part);
    } else if (part !== undefined) {
      const calls = [part];
      for (let next = message.content[at + 1]; next?.type === 'tool-call'; next = message.content[at + 1]) {
        calls.push(next);
        at += 1;
      }
      const block = format.calls(calls.map((call) => ({ name: call.name, arguments: objectText(call.arguments) })));
      text += text === '' || text.endsWith('\n') ? block : `\n${block}`;
    }
  }
  flush();
  return parts;
}

/** Arguments that are not a JSON object were refused: they are sent back as the text that they are. */
function objectText(text: string): string {
  if (asFields(parseJson(text)) !== undefined) return text;
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
