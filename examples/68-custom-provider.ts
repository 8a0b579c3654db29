// A custom provider is one function: a request in, events out. `providerConformance` of @kernel/testing checks the contract.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { type Provider, textOf } from '@kernel/protocol';

/** Answers with what the user said, backwards. */
function echoBackwards(): Provider {
  return {
    name: 'backwards',
    structuredOutput: () => 'text',
    async *stream({ messages, model, signal }) {
      const last = messages.findLast((message) => message.role === 'user');
      const text = Array.from(textOf(last ?? { role: 'user', content: '' }))
        .toReversed()
        .join('');
      for (const word of text.split(/(?<= )/)) {
        signal?.throwIfAborted();
        yield { type: 'text-delta', text: word };
      }
      yield {
        type: 'message-end',
        message: { role: 'assistant', content: [{ type: 'text', text }], provider: { vendor: 'backwards', model } },
        finishReason: 'stop',
      };
    },
  };
}

const messages = [{ role: 'user', content: 'noon was it' }] as const;
const result = await collect(run({ provider: echoBackwards(), model: 'mirror', messages }));
assert.equal(result.reason === 'done' && result.answer, 'ti saw noon');
console.log(result.reason === 'done' && result.answer);
