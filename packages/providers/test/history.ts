import type { Message, Tool } from '@kernel/protocol';

export const IMAGE = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;

/** A tool that every wire takes as it is. */
export const ADD: Tool = Object.freeze({
  name: 'add',
  description: 'Adds.',
  parameters: Object.freeze({ type: 'object', properties: { x: { type: 'number' } } }),
});

/** A history with two calls in one turn, answered in the other order, one of them failed, and vendor data of `vendor`. */
export function history(vendor: string, providerData: object): readonly Message[] {
  const call = { type: 'tool-call', name: 'add', arguments: '{"x":1}' } as const;
  const assistant = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerData: providerData as { [key: string]: string } },
      { type: 'text', text: 'Let me see.' },
      { ...call, id: 'a', providerData: { thoughtSignature: 'sig-call' } },
      { ...call, id: 'b' },
    ],
    provider: { vendor, model: 'm' },
  } as const;
  return [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, IMAGE] },
    assistant,
    { role: 'tool', toolCallId: 'b', name: 'add', content: 'too big', isError: true },
    { role: 'tool', toolCallId: 'a', name: 'add', content: [{ type: 'text', text: '2' }, IMAGE] },
    { role: 'user', content: 'Go on.' },
  ];
}
