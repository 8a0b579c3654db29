import type { MessageEnd, Provider, ProviderEvent, ProviderRequest, Tool } from '@kernel/protocol';

const object = (properties: Record<string, unknown>): Tool['parameters'] => ({ type: 'object', properties });

/** The tools on offer in these tests. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: object({ city: { type: 'string' }, days: { type: 'integer' }, options: { type: 'object' } }),
  },
  {
    name: 'write_file',
    description: 'Writes a file.',
    parameters: object({ path: { type: 'string' }, text: { type: 'string' } }),
  },
  { name: 'now', description: 'Tells the time.', parameters: object({}) },
];

/** The smallest pieces of a text. */
export const letters = (text: string): string[] => text.split('');

/** A provider that says `pieces`, one a delta, and keeps the requests it got. */
export function saying(
  pieces: readonly string[],
  finishReason: MessageEnd['finishReason'] = 'stop',
): Provider & { readonly requests: ProviderRequest[] } {
  const requests: ProviderRequest[] = [];
  return {
    name: 'plain',
    requests,
    async *stream(request) {
      await Promise.resolve();
      requests.push(request);
      for (const text of pieces) if (text !== '') yield { type: 'text-delta', text };
      const text = pieces.join('');
      const content = text === '' ? [] : [{ type: 'text' as const, text }];
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason };
    },
  };
}

/** What a reply came to. */
export interface Read {
  readonly text: string;
  readonly calls: readonly (readonly [string, unknown])[];
  readonly ids: readonly string[];
  readonly end: MessageEnd;
  readonly events: readonly ProviderEvent[];
}

/** Reads one reply to its end. */
export async function read(provider: Provider, request: Partial<ProviderRequest> = {}): Promise<Read> {
  const events: ProviderEvent[] = [];
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  for await (const event of provider.stream({ model: 'm', messages, tools: TOOLS, ...request })) events.push(event);
  const end = events.at(-1);
  if (end?.type !== 'message-end') throw new Error('no message-end');
  const calls = end.message.content.filter((part) => part.type === 'tool-call');
  const deltas = events.filter((event) => event.type === 'text-delta').map((event) => event.text);
  const text = end.message.content.filter((part) => part.type === 'text').map((part) => part.text);
  if (deltas.join('') !== text.join('')) throw new Error(`deltas ${deltas.join('')} but message ${text.join('')}`);
  return {
    text: text.join(''),
    calls: calls.map((call) => [call.name, JSON.parse(call.arguments)] as const),
    ids: calls.map(({ id }) => id),
    end,
    events,
  };
}
