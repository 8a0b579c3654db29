import {
  type JsonObject,
  KernelError,
  type Message,
  type ProviderEvent,
  type ProviderRequest,
  textOf,
  toolCallsOf,
} from '@kernel/protocol';
import { freezeMessage, withSystem } from '../history/messages.ts';
import { run } from '../run.ts';
import type { Agent, AgentOptions, AgentProtocol, AgentReply, AskOptions, Conversational } from './types.ts';
import { withImages } from './images.ts';

/** Creates an agent from a provider, a model and options by protocol. Sends nothing. */
export function createAgent(agent: AgentOptions): Agent {
  const { provider, model, name = 'default-agent', system, tools: toolset, limits, approve } = agent;

  const requestOf = (
    protocol: AgentProtocol,
    messages: readonly Message[],
    ask: AskOptions,
    more: Partial<ProviderRequest>,
  ): ProviderRequest => {
    const { stream, ...options } = optionsOf(agent, protocol, ask);
    if (more.stream === true && stream === false) throw unsupported(agent, `streaming ${protocol}`);
    return {
      model,
      messages: withSystem(messages, system).map(freezeMessage),
      options,
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      ...more,
    };
  };
  const ask = (
    protocol: AgentProtocol,
    messages: readonly Message[],
    given: AskOptions = {},
    more: Partial<ProviderRequest> = {},
  ): Promise<AgentReply> => wholeReply(agent, requestOf(protocol, messages, given, { stream: false, ...more }));
  const stream = (
    protocol: AgentProtocol,
    messages: readonly Message[],
    given: AskOptions = {},
    more: Partial<ProviderRequest> = {},
  ): AsyncIterable<ProviderEvent> => provider.stream(requestOf(protocol, messages, given, { stream: true, ...more }));

  return {
    name,
    provider,
    model,
    chat: async (messages, given) => ask('chat', toMessages(messages), given),
    chatStream: (messages, given) => stream('chat', toMessages(messages), given),
    vision: async (messages, images, given) => ask('vision', withImages(toMessages(messages), images), given),
    visionStream: (messages, images, given) => stream('vision', withImages(toMessages(messages), images), given),
    tools: async (messages, tools, given) =>
      ask('tools', toMessages(messages), given, { tools, toolChoice: given?.toolChoice }),
    toolsStream: (messages, tools, given) =>
      stream('tools', toMessages(messages), given, { tools, toolChoice: given?.toolChoice }),
    async embed(input, given = {}) {
      const options = optionsOf(agent, 'embeddings', given);
      if (provider.embed === undefined) throw unsupported(agent, 'embeddings');
      return provider.embed({ model, input, options, signal: given.signal });
    },
    async transcribe(audio, given = {}) {
      const options = optionsOf(agent, 'audio', given);
      if (provider.transcribe === undefined) throw unsupported(agent, 'audio');
      return provider.transcribe({ model, audio, options, signal: given.signal });
    },
    run: (messages, given = {}) => {
      const options = { ...agent.options, ...agent.capabilities?.tools, ...given.options };
      return run({
        provider,
        model,
        messages: toMessages(messages),
        tools: toolset,
        system,
        limits,
        approve,
        options,
        signal: given.signal,
      });
    },
  };
}

/** The agent's options, the protocol's over them, the call's over both. Throws where the model lacks the protocol. */
function optionsOf(agent: AgentOptions, protocol: AgentProtocol, ask: AskOptions): JsonObject {
  const { capabilities = {} } = agent;
  if (Object.keys(capabilities).length > 0 && capabilities[protocol] === undefined) throw unsupported(agent, protocol);
  return { ...agent.options, ...capabilities[protocol], ...ask.options };
}

async function wholeReply({ provider }: AgentOptions, request: ProviderRequest): Promise<AgentReply> {
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

function toMessages(messages: Conversational): readonly Message[] {
  return typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
}

function unsupported({ provider, model, capabilities = {} }: AgentOptions, what: string): KernelError {
  const known = Object.keys(capabilities);
  return new KernelError(
    'PROVIDER_UNSUPPORTED',
    `The model "${model}" of the provider "${provider.name}" has no ${what}.`,
    {
      hint: known.length > 0 ? `Its capabilities are ${known.join(', ')}.` : 'Use another provider for it.',
    },
  );
}
