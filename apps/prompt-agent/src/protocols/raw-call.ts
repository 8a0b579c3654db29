import { resolve } from 'node:path';
import { extractToolChoice } from '@kernel/agent/config';
import {
  type JsonObject,
  KernelError,
  type MediaPart,
  type MessageEnd,
  type ProviderRequest,
  textOf,
  type Tool,
  toolCallsOf,
  type UserMessage,
} from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { parseWith } from '../config/parse-with.ts';
import { EXIT } from '../exit-code.ts';
import { parseJson, requireText } from '../files/read-file.ts';
import type { Invocation } from '../invocation.ts';
import { LINES_VERSION } from '../output/json-view.ts';
import { redactEvents } from '../output/redact-events.ts';
import { sourceNotes, sourcesOf } from '../output/terminal/notes.ts';
import { loadAttachment, splitSources } from '../prompt/attachments.ts';

type TextProtocol = 'chat' | 'vision' | 'tools';

/**
 * Makes one model call without the agent: with the images of `--images`, which are sent inline, or the tools of `--tools-file`, of which none runs. Prints
 * the text, the calls that the model asks for and the token line; with `--stream` the raw text as it arrives, and a newline.
 */
export async function rawCall(invocation: Invocation, protocol: TextProtocol, prompt: string): Promise<number> {
  const { flags, output, choice } = invocation;
  const offered = protocol === 'tools' ? await loadTools(invocation) : undefined;
  const content =
    protocol === 'vision' ? [{ type: 'text', text: prompt } as const, ...(await loadImages(invocation))] : prompt;
  const end = await callModel(invocation, protocol, content, offered);
  const { message, finishReason, usage } = end;
  const text = textOf(message);
  const calls = toolCallsOf(message);
  if (flags['json-lines'] === true) return EXIT.answer;
  if (flags.json === true) {
    output.writeJson({
      version: 1,
      protocol,
      provider: choice.provider.name,
      model: choice.model,
      text,
      toolCalls: calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
      finishReason,
      usage,
    });
    return EXIT.answer;
  }
  const isStreamed = flags.stream === true;
  const label = protocol === 'vision' ? 'Vision response' : 'Response';
  if (!isStreamed && (text !== '' || protocol !== 'tools')) output.write(`${label}: ${text}\n`);
  if (protocol === 'tools' && calls.length > 0)
    output.write(['Tool Calls:\n', ...calls.map(({ name, arguments: json }) => `  - ${name}(${json})\n`)].join(''));
  if (!isStreamed && usage !== undefined) {
    const { inputTokens, outputTokens } = usage;
    const noun = protocol === 'chat' ? 'completions' : 'completion';
    output.write(`Tokens: ${inputTokens} prompt + ${outputTokens} ${noun} = ${inputTokens + outputTokens} total\n`);
  }
  return EXIT.answer;
}

async function callModel(
  { flags, loaded, choice, provider, secret, output, signal }: Invocation,
  protocol: TextProtocol,
  content: UserMessage['content'],
  tools: readonly Tool[] | undefined,
): Promise<MessageEnd> {
  const system = flags['system-prompt'] ?? loaded.config.systemPrompt ?? '';
  const isStreamed = flags.stream ?? false;
  let end: MessageEnd | undefined;
  const events = provider.stream({
    model: choice.model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system } as const]), { role: 'user', content }],
    tools,
    ...requestOptions(loaded.config.model.capabilities[protocol], tools),
    stream: isStreamed,
    signal,
  });
  if (flags['json-lines'] === true)
    output.writeJson({ type: 'start', version: LINES_VERSION, provider: choice.provider.name, model: choice.model });
  for await (const event of redactEvents(events, secret)) {
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

function loadImages({ flags, host, signal }: Invocation): Promise<readonly MediaPart[]> {
  const access = { host, stdin: new Uint8Array(), allowPrivate: flags['allow-private-images'] ?? false, signal };
  return Promise.all(splitSources(flags.images ?? '').map((source) => loadAttachment('--images', source, access)));
}

async function loadTools({ flags, host }: Invocation): Promise<readonly Tool[]> {
  const file = flags['tools-file'] ?? '';
  const text = await requireText(resolve(host.cwd, file), '--tools-file', file);
  const { toolSchema } = await import('@kernel/protocol/schemas');
  const what = `--tools-file: "${file}"`;
  const entries = parseWith(toolSchema.array(), parseJson(text, what), what);
  // The registry checks names and schemas; nothing is called through it.
  return createRegistry(entries.map((tool) => bindTool(tool, () => 'not run'))).list();
}
