import {
  checkProvider,
  checkToolset,
  checkFunctions,
  checkKeys,
  invalidOption,
  type JsonObject,
  type JsonValue,
  KernelError,
  type Message,
  type ModelOptions,
  optionKeys,
  type ProviderEvent,
  type ProviderRequest,
  textOf,
  toolCallsOf,
} from '@kernel/protocol';
import { freezeMessage, withSystem } from '../history/messages.ts';
import { checkLimits } from '../limits/run-limits.ts';
import { run } from '../run.ts';
import { withImages } from './images.ts';
import { extractToolChoice } from '../config/tool-choice.ts';
import type {
  MessageInput,
  ModelCapability,
  ModelClient,
  ModelClientOptions,
  ModelReply,
  RequestOptions,
} from './types.ts';

const CLIENT_KEYS = optionKeys<ModelClientOptions>({
  provider: true,
  model: true,
  name: true,
  system: true,
  tools: true,
  options: true,
  capabilities: true,
  limits: true,
  approve: true,
  approvalTimeoutMs: true,
});
const CAPABILITY_KEYS = optionKeys<Record<ModelCapability, unknown>>({
  chat: true,
  vision: true,
  tools: true,
  embeddings: true,
  audio: true,
});
const REQUEST_KEYS = optionKeys<RequestOptions>({ options: true, signal: true, toolChoice: true });

/**
 * Creates a client for one provider and one model. Sends nothing.
 *
 * @example
 * ```ts
 * import { createModelClient } from '@kernel/agent/client';
 * import { createProvider } from '@kernel/providers';
 *
 * const client = createModelClient({ provider: createProvider({ name: 'ollama' }), model: 'qwen3' });
 * const { text } = await client.chat('Why is the sky blue?');
 * ```
 */
export function createModelClient(client: ModelClientOptions): ModelClient {
  checkKeys('createModelClient', client, CLIENT_KEYS);
  checkProvider('createModelClient', client.provider);
  if (typeof client.model !== 'string' || client.model === '')
    throw invalidOption('createModelClient', 'model', 'the name of a model', client.model);
  if (client.capabilities !== undefined)
    checkKeys('createModelClient', client.capabilities, CAPABILITY_KEYS, 'capabilities.');
  checkFunctions('createModelClient', { approve: client.approve });
  if (client.tools !== undefined) checkToolset('createModelClient', client.tools);
  if (client.limits !== undefined) checkLimits(client.limits);
  const {
    provider,
    model,
    name = 'default-agent',
    system,
    tools: toolset,
    limits,
    approve,
    approvalTimeoutMs,
  } = client;

  const toRequest = (
    capability: ModelCapability,
    messages: readonly Message[],
    request: RequestOptions,
    more: Partial<ProviderRequest>,
  ): ProviderRequest => {
    const { stream, ...merged } = optionsOf(client, capability, request);
    if (more.stream === true && stream === false) throw unsupported(client, `streaming ${capability}`);
    const { options, toolChoice } = extractToolChoice(merged);
    // Without tools there is nothing to choose.
    const choice = more.tools === undefined ? undefined : (request.toolChoice ?? toolChoice);
    return {
      model,
      messages: withSystem(messages, system).map(freezeMessage),
      options,
      ...(choice === undefined ? {} : { toolChoice: choice }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...more,
    };
  };
  const ask = (
    capability: ModelCapability,
    messages: readonly Message[],
    request: RequestOptions = {},
    more: Partial<ProviderRequest> = {},
  ): Promise<ModelReply> => readReply(client, toRequest(capability, messages, request, { stream: false, ...more }));
  const stream = (
    capability: ModelCapability,
    messages: readonly Message[],
    request: RequestOptions = {},
    more: Partial<ProviderRequest> = {},
  ): AsyncIterable<ProviderEvent> =>
    provider.stream(toRequest(capability, messages, request, { stream: true, ...more }));

  return {
    name,
    provider,
    model,
    chat: async (messages, request) => ask('chat', toMessages(messages), request),
    chatStream: (messages, request) => stream('chat', toMessages(messages), request),
    vision: async (messages, images, request) => ask('vision', withImages(toMessages(messages), images), request),
    visionStream: (messages, images, request) => stream('vision', withImages(toMessages(messages), images), request),
    tools: async (messages, tools, request) => ask('tools', toMessages(messages), request, { tools }),
    toolsStream: (messages, tools, request) => stream('tools', toMessages(messages), request, { tools }),
    async embed(input, request = {}) {
      const options = optionsOf(client, 'embeddings', request);
      if (provider.embed === undefined) throw unsupported(client, 'embeddings');
      return provider.embed({ model, input, options, signal: request.signal });
    },
    async transcribe(audio, request = {}) {
      const options = optionsOf(client, 'audio', request);
      if (provider.transcribe === undefined) throw unsupported(client, 'audio');
      return provider.transcribe({ model, audio, options, signal: request.signal });
    },
    run: (messages, request = {}) => {
      checkKeys('run', request, REQUEST_KEYS);
      const { stream: streams, ...merged } = mergeOptions(client.options, client.capabilities?.tools, request.options);
      const { options, toolChoice } = extractToolChoice(merged);
      return run({
        provider,
        model,
        messages: toMessages(messages),
        tools: toolset,
        system,
        limits,
        approve,
        approvalTimeoutMs,
        options,
        toolChoice: request.toolChoice ?? toolChoice,
        ...(typeof streams === 'boolean' ? { stream: streams } : {}),
        signal: request.signal,
      });
    },
  };
}

/** The options of the client, overridden by those of the capability, then of the request. Throws if the model lacks the capability. */
function optionsOf(client: ModelClientOptions, capability: ModelCapability, request: RequestOptions): JsonObject {
  checkKeys(capability, request, REQUEST_KEYS);
  const { capabilities = {} } = client;
  if (Object.keys(capabilities).length > 0 && capabilities[capability] === undefined)
    throw unsupported(client, capability);
  return mergeOptions(client.options, capabilities[capability], request.options);
}

/** Later options win; an option that is `undefined` is left out, so that it does not unset an earlier one. */
function mergeOptions(...given: readonly (ModelOptions | undefined)[]): JsonObject {
  const merged = new Map<string, JsonValue>();
  for (const options of given)
    for (const [key, value] of Object.entries(options ?? {})) if (value !== undefined) merged.set(key, value);
  return Object.fromEntries(merged);
}

async function readReply({ provider }: ModelClientOptions, request: ProviderRequest): Promise<ModelReply> {
  for await (const event of provider.stream(request)) {
    if (event.type !== 'message-end') continue;
    const { message, finishReason, usage } = event;
    return {
      text: textOf(message),
      calls: toolCallsOf(message),
      message,
      finishReason,
      ...(usage === undefined ? {} : { usage }),
    };
  }
  throw new KernelError('PROVIDER_PROTOCOL', `The provider "${provider.name}" ended its stream without a message-end.`);
}

function toMessages(messages: MessageInput): readonly Message[] {
  return typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
}

function unsupported({ provider, model, capabilities = {} }: ModelClientOptions, what: string): KernelError {
  const names = Object.keys(capabilities);
  return new KernelError(
    'PROVIDER_UNSUPPORTED',
    `The model "${model}" of the provider "${provider.name}" does not support ${what}.`,
    { hint: names.length > 0 ? `Its capabilities are ${names.join(', ')}.` : 'Use another provider for it.' },
  );
}
