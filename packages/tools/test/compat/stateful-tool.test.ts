import { type Tool, type ToolResult, asyncResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { bindStatefulTool } from '../../src/compat/index.ts';
import { createRegistry } from '../../src/index.ts';
import { caught, wait } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

const tool: Tool = { name: 'message', description: 'Sends a message.', parameters: { type: 'object' } };

/** A stateful handler, whose conversation and callback are set first. */
function create(): {
  setContext(channel: string, chatId: string): void;
  setCallback(callback: (result: ToolResult) => void): void;
  execute(): Promise<ToolResult>;
} {
  let where = '';
  let callback: ((result: ToolResult) => void) | undefined;
  return {
    setContext(channel, chatId) {
      where = `${channel}/${chatId}`;
    },
    setCallback(given) {
      callback = given;
    },
    async execute() {
      const before = where;
      await wait(3);
      setTimeout(() => callback?.({ forLLM: `done for ${where}` }), 3);
      return asyncResult(before === where ? where : 'mixed up');
    },
  };
}

const contexts = Array.from({ length: 20 }, (_, index) => ({ channel: 'chat', chatId: `${index}` }));

test('tools that keep their conversation in themselves are safe under parallel calls, each with its own', async () => {
  verifies('tools.execute.context', 'tools.execute.async');
  const registry = createRegistry([bindStatefulTool(tool, create)]);
  const late: string[] = [];
  const results = await Promise.all(
    contexts.map((conversation) =>
      registry.execute(
        'message',
        {},
        { conversation, onComplete: (result) => void late.push(`${conversation.chatId} ${result.forLLM}`) },
      ),
    ),
  );
  expect(results.map((result) => result.forLLM)).toEqual(contexts.map(({ chatId }) => `chat/${chatId}`));
  await vi.waitFor(() => expect(late).toHaveLength(contexts.length), 60_000);
  expect(late.toSorted()).toEqual(contexts.map(({ chatId }) => `${chatId} done for chat/${chatId}`).toSorted());
});

test('a single such object is used by one call at a time, even after a timeout', async () => {
  verifies('tools.execute.context');
  const whole = create();
  const shared = {
    setContext: (channel: string, chatId: string) => whole.setContext(channel, chatId),
    execute: async () => {
      await held;
      return whole.execute();
    },
  };
  let held: Promise<void> | undefined;
  const registry = createRegistry([bindStatefulTool(tool, shared)]);
  const results = await Promise.all(contexts.map((conversation) => registry.execute('message', {}, { conversation })));
  expect(results.map((result) => result.forLLM)).toEqual(contexts.map(({ chatId }) => `chat/${chatId}`));
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const first = registry.execute('message', {}, { timeoutMs: 1, conversation: { channel: 'a', chatId: '1' } });
  const second = registry.execute('message', {}, { conversation: { channel: 'b', chatId: '2' } });
  expect((await first).code).toBe('TOOL_TIMEOUT');
  resolve();
  expect((await second).forLLM).toBe('b/2');
});

test('a single object with a callback of its own is rejected, because late results could not be matched to calls', () => {
  verifies('tools.execute.context');
  expect(caught(() => bindStatefulTool(tool, create())).code).toBe('CONFIG_INVALID');
});
