// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { collect, run } from '@kernel/agent';
import type { Provider, Tool, Toolset } from '@kernel/protocol';

let asked = 0;
const provider: Provider = {
  name: 'by-hand',
  async *stream() {
    asked += 1;
    const content =
      asked === 1
        ? ([{ type: 'tool-call', id: '1', name: 'add', arguments: '{"a":1,"b":2}' }] as const)
        : ([{ type: 'text', text: 'It is 3.' }] as const);
    yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
  },
};
const add: Tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } };
const tools: Toolset = {
  list: () => [add],
  prepare: (call) => ({ tool: add, arguments: call.arguments, run: async () => ({ forLLM: '3' }) }),
};
const result = await collect(run({ provider, model: 'm', messages: [{ role: 'user', content: '1 + 2?' }], tools }));
if (result.reason !== 'done') throw new Error(`The run ended with "${result.reason}".`);
console.log(result.answer); // It is 3.
