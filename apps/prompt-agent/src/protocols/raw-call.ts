import { parseWith } from '../config/parse-with.ts';
import { resolve } from 'node:path';
import {
  textOf,
  type Tool,
  toolCallsOf,
  type JsonObject,
  KernelError,
  type Message,
  type MessageEnd,
  type ProviderRequest,
  type UserMessage,
} from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { extractToolChoice } from '@kernel/agent/config';
import { EXIT, usageError } from '../exit-code.ts';
import { parseJson, readText } from '../files/read-file.ts';
import type { Invocation } from '../invocation.ts';
import { loadAttachment, splitSources } from '../prompt/attachments.ts';
import { sourceNotes, sourcesOf } from '../output/terminal/notes.ts';
import { redactEvents } from '../output/redact-events.ts';
import { LINES_VERSION } from '../output/json-view.ts';

/** One request of a raw protocol call. */
export interface RawRequest {
  /** The protocol, which selects the model options of the config. */
  readonly protocol: 'chat' | 'vision' | 'tools';
  /** The user's message. */
  readonly content: UserMessage['content'];
  /** The tools on offer. */
  readonly tools?: readonly Tool[];
}

/** Makes one model call and returns its end. With `--stream` the text is written as it arrives, followed by a newline. */
export async function callModel(
  { flags, loaded, choice, provider, output, signal }: Invocation,
  request: RawRequest,
): Promise<MessageEnd> {
  const system = flags['system-prompt'] ?? loaded.config.systemPrompt;
  const messages: Message[] = [];
  if (system !== undefined && system !== '') messages.push({ role: 'system', content: system });
  messages.push({ role: 'user', content: request.content });
  const isStreamed = flags.stream ?? false;
  let end: MessageEnd | undefined;
  const events = provider.stream({
    model: choice.model,
    messages,
    tools: request.tools,
    ...requestOptions(loaded.config.model.capabilities[request.protocol], request.tools),
    stream: isStreamed,
    signal,
  });
  const { token } = choice.provider;
  if (flags['json-lines'] === true)
    output.writeJson({ type: 'start', version: LINES_VERSION, provider: choice.provider.name, model: choice.model });
  for await (const event of redactEvents(events, typeof token === 'string' ? token : undefined)) {
    if (flags['json-lines'] === true) output.writeJson(event);
    else if (event.type === 'text-delta' && isStreamed && flags.json !== true) output.write(event.text);
    if (event.type === 'message-end') end = event;
  }
  if (end === undefined) throw new KernelError('PROVIDER_PROTOCOL', 'The reply ended without a message-end.');
  for (const warning of end.warnings ?? []) output.note(`warning: ${warning.message}`);
  if (end.finishReason === 'length') output.note('warning: the reply was cut by its length limit.');
  output.finish();
  for (const note of sourceNotes(sourcesOf([end.message]))) output.note(note);
  return end;
}

/** The options of a capability; its tool choice counts where tools are offered. */
function requestOptions(
  capability: JsonObject | undefined,
  offered: readonly Tool[] | undefined,
): Pick<ProviderRequest, 'options' | 'toolChoice'> {
  if (capability === undefined) return {};
  const { options, toolChoice } = extractToolChoice(capability);
  return offered === undefined || toolChoice === undefined ? { options } : { options, toolChoice };
}

/** Writes the end of a raw call: as JSON if asked for, else `lines`. */
export function writeReply(
  { flags, output, choice }: Invocation,
  protocol: string,
  end: MessageEnd,
  lines: readonly string[],
): void {
  if (flags['json-lines'] === true) return;
  if (flags.json === true) {
    const { message, finishReason, usage } = end;
    const calls = toolCallsOf(message).map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
    const reply = {
      version: 1,
      protocol,
      provider: choice.provider.name,
      model: choice.model,
      text: textOf(message),
      toolCalls: calls,
      finishReason,
      usage,
    };
    output.writeJson(reply);
    return;
  }
  for (const line of lines) output.write(`${line}\n`);
}

/** Returns the line about tokens; none if the provider reports none. */
export function tokenLine({ usage }: MessageEnd, noun: 'completion' | 'completions'): readonly string[] {
  if (usage === undefined) return [];
  const { inputTokens, outputTokens } = usage;
  return [`Tokens: ${inputTokens} prompt + ${outputTokens} ${noun} = ${inputTokens + outputTokens} total`];
}

/** Makes one chat call: `Response: TEXT` and the token line; with `--stream` the raw text and a newline. */
export async function chat(invocation: Invocation, prompt: string): Promise<number> {
  const end = await callModel(invocation, { protocol: 'chat', content: prompt });
  const lines =
    invocation.flags.stream === true ? [] : [`Response: ${textOf(end.message)}`, ...tokenLine(end, 'completions')];
  writeReply(invocation, 'chat', end, lines);
  return EXIT.answer;
}

/** Makes one call with images, sent inline: `Vision response: TEXT` and the token line. */
export async function vision(invocation: Invocation, prompt: string): Promise<number> {
  const { flags, host, signal } = invocation;
  const access = { host, stdin: new Uint8Array(), allowPrivate: flags['allow-private-images'] ?? false, signal };
  const images = await Promise.all(
    splitSources(flags.images ?? '').map((source) => loadAttachment('--images', source, access)),
  );
  const end = await callModel(invocation, { protocol: 'vision', content: [{ type: 'text', text: prompt }, ...images] });
  const lines =
    flags.stream === true ? [] : [`Vision response: ${textOf(end.message)}`, ...tokenLine(end, 'completion')];
  writeReply(invocation, 'vision', end, lines);
  return EXIT.answer;
}

/**
 * Makes one call with the tools of a file: the text as `Response:`, the calls that the model asks for, the token line. Runs none of them.
 */
export async function tools(invocation: Invocation, prompt: string): Promise<number> {
  const offered = await loadTools(invocation);
  const end = await callModel(invocation, { protocol: 'tools', content: prompt, tools: offered });
  const text = textOf(end.message);
  const calls = toolCallsOf(end.message).map((call) => `  - ${call.name}(${call.arguments})`);
  const isStreamed = invocation.flags.stream === true;
  writeReply(invocation, 'tools', end, [
    ...(text === '' || isStreamed ? [] : [`Response: ${text}`]),
    ...(calls.length === 0 ? [] : ['Tool Calls:', ...calls]),
    ...(isStreamed ? [] : tokenLine(end, 'completion')),
  ]);
  return EXIT.answer;
}

async function loadTools({ flags, host }: Invocation): Promise<readonly Tool[]> {
  const file = flags['tools-file'] ?? '';
  const text = await readText(resolve(host.cwd, file), '--tools-file', file);
  if (text === undefined) throw usageError(`--tools-file: "${file}" cannot be read (ENOENT).`);
  const { toolSchema } = await import('@kernel/protocol/schemas');
  const what = `--tools-file: "${file}"`;
  const entries = parseWith(toolSchema.array(), parseJson(text, what), what);
  // The registry checks names and schemas; nothing is called through it.
  return createRegistry(entries.map((tool) => bindTool(tool, () => 'not run'))).list();
}
