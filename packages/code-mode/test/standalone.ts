import { collect, run } from '@kernel/agent';
import { withCodeMode } from '@kernel/code-mode';
import type { Provider, Tool, Toolset } from '@kernel/protocol';

const price: Tool = { name: 'price', description: 'Tells a price.', parameters: { type: 'object' }, effect: 'read' };
const shop: Toolset = {
  list: () => [price],
  prepare: ({ arguments: text }) => ({
    tool: price,
    arguments: text,
    run: async () => {
      const { id } = JSON.parse(text) as { id: number };
      return { forLLM: `${id * 10} euros`, data: { id, euros: id * 10 } };
    },
  }),
};
const code = `
  const prices = await Promise.all([1, 2, 3].map((id) => tools.price({ id })));
  return prices.filter(({ euros }) => euros > 10);
`;
// In place of a model, so that this runs anywhere:
const provider: Provider = {
  name: 'scripted',
  async *stream({ messages }) {
    const call = { type: 'tool-call', id: '1', name: 'run_code', arguments: JSON.stringify({ code }) } as const;
    const content = messages.length > 1 ? [{ type: 'text' as const, text: 'Two cost more.' }] : [call];
    yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
  },
};

const messages = [{ role: 'user', content: 'What costs more than 10 euros?' }] as const;
const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools: withCodeMode(shop) }));
console.log(toolCalls[0]?.result?.forLLM); // [{"id":2,"euros":20},{"id":3,"euros":30}]

// @ts-expect-error -- a list of names
withCodeMode(shop, { direct: 'price' });
