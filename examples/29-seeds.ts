// The seeds' ways of writing it: seed 000's module-level catalog, seed 002's stateful tools and loop.
import assert from 'node:assert/strict';
import { runToolLoop } from '@kernel/agent/compat';
import { scriptedProvider } from '@kernel/testing';
import { bindStatefulTool } from '@kernel/tools';
import { catalog, execute, list, register } from '@kernel/tools/catalog';

register(
  {
    name: 'echo',
    description: 'Repeats a text.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
  },
  ({ text }) => JSON.stringify(text),
);
assert.equal(list().length, 1);
assert.equal((await execute('echo', { text: 'Hi' })).forLLM, '"Hi"');

/** A tool that is told of its conversation before it runs (SetContext of seed 002). */
class MessageTool {
  chatId = '';
  setContext(_channel: string, chatId: string): void {
    this.chatId = chatId;
  }
  execute(): string {
    return `sent to ${this.chatId}`;
  }
}
const tool = { name: 'message', description: 'Sends a message.', parameters: { type: 'object', properties: {} } };
catalog().register(bindStatefulTool(tool, () => new MessageTool()));

const provider = scriptedProvider([{ calls: [{ name: 'message' }] }, { text: 'Sent.' }]);
const config = { provider, model: 'any-model', tools: catalog(), maxIterations: 5, options: { max_tokens: 4096 } };
const result = await runToolLoop(config, [{ role: 'user', content: 'Tell them.' }], 'telegram', '42');
assert.deepEqual(result, { content: 'Sent.', iterations: 2 });
const answer = provider.streamRequests[1]?.messages.at(-1);
assert.equal(answer?.content, 'sent to 42');
console.log(answer.content);
