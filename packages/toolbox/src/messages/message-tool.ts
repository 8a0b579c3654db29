import { objectSchema } from '../object-schema.ts';
import { sliceHead, visibleText } from '@kernel/internal';
import { KernelError, type Tool, type ToolContext, type ToolWithHandler, type ToolResult } from '@kernel/protocol';

/** The port to people: a destination for messages. */
export interface MessageChannel {
  /** Its name, by which a model selects it. */
  readonly name: string;
  /** Delivers a message. Rejects with a `KernelError` whose message is for the model. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
}

/** A message to people. */
export interface OutgoingMessage {
  /** What it says; Markdown. */
  readonly text: string;
  /** The same for every attempt at the same call, so that a receiver can drop repeats. */
  readonly id: string;
}

/**
 * Creates the tool `message` for channels: `streamChannel`, `webhookChannel`, or your own. The first one is the default.
 *
 * @example
 * ```ts
 * import { messageTool, streamChannel } from '@kernel/toolbox/messages';
 * import { createRegistry } from '@kernel/tools';
 *
 * const tools = createRegistry([messageTool([streamChannel(process.stdout, 'team')])]);
 * ```
 */
export function messageTool(channels: readonly MessageChannel[]): ToolWithHandler {
  const names = channels.map(({ name }) => name);
  if (names.length === 0 || new Set(names).size < names.length)
    throw new KernelError('CONFIG_INVALID', 'messageTool needs channels with different names.', {
      hint: 'Pass messageTool([streamChannel(process.stdout)]).',
    });
  const handler = async (
    { text, channel: to = names[0] ?? '' }: { readonly text: string; readonly channel?: string },
    { signal, idempotencyKey, callId }: ToolContext,
  ): Promise<ToolResult> => {
    const found = channels.find(({ name }) => name === to);
    if (found === undefined)
      throw new KernelError('TOOL_FAILED', `There is no channel ${JSON.stringify(sliceHead(to, 80))}.`, {
        hint: `Known: ${names.join(', ')}.`,
      });
    await found.send({ text, id: idempotencyKey ?? callId }, signal);
    return { forLLM: `Sent to ${to}.`, forUser: `Sent to ${to}: ${visibleText(text)}` };
  };
  const channel =
    names.length === 1
      ? { type: 'string', description: 'Where to; absent: the first channel.' }
      : { type: 'string', enum: names, description: 'Where to.' };
  const tool: Tool = {
    name: 'message',
    title: 'Send a message',
    description:
      'Sends a message to the people who wait for it, for example about work that is done while nobody watches.',
    parameters: objectSchema(['text'], {
      text: { type: 'string', minLength: 1, maxLength: 20_000, description: 'What it says; Markdown.' },
      channel,
    }),
    effect: 'external',
    metadata: { category: 'publish', usageHint: 'To tell somebody something, or send a result.' },
  };
  return { tool, handler };
}
