// The interfaces of earlier systems: module-level functions, stateful tools, and a loop that returns text.
import assert from 'node:assert/strict';
import { runToolLoop } from '@kernel/agent/compat';
import { scriptedProvider } from '@kernel/testing';
import { bindStatefulTool, defaultRegistry, execute, list, register } from '@kernel/tools/compat';

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

/** A tool that gets its conversation before it runs (SetContext in picoclaw). */
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
defaultRegistry().register(bindStatefulTool(tool, () => new MessageTool()));

const provider = scriptedProvider([{ calls: [{ name: 'message' }] }, { text: 'Sent.' }]);
const config = {
  provider,
  model: 'any-model',
  tools: defaultRegistry(),
  maxIterations: 5,
  options: { max_tokens: 4096 },
};
const result = await runToolLoop(config, [{ role: 'user', content: 'Tell them.' }], 'telegram', '42');
assert.deepEqual(result, { content: 'Sent.', iterations: 2 });
const answer = provider.streamRequests[1]?.messages.at(-1);
assert.equal(answer?.content, 'sent to 42');
console.log(answer.content);
