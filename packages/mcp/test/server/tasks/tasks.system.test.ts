import { type CallContext, toolResult, type ToolResult, type Toolset, type RunningCall } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { expect, test } from 'vitest';
import { createMemoryTaskStore, type TaskStore } from '../../../src/index.ts';
import { plainTool, signalled } from '../support.ts';
import { serveTasks, taskClient } from './task-client.ts';

/** A toolset of one tool, whose calls do this. */
function doing(run: (context: CallContext & RunningCall) => ToolResult | Promise<ToolResult>): Toolset {
  const list = Object.freeze([plainTool('work')]);
  return toToolset({ list: () => list, call: async (_call, context) => run(context) });
}

/** A tool that waits until the test lets it go on. */
function waiting() {
  const gate = signalled<ToolResult>();
  return { toolset: doing(() => gate.happened), finish: gate.resolve };
}

test('a store that is slow is waited for: the task can be asked for as soon as the client knows of it', async () => {
  const kept = createMemoryTaskStore();
  const slow: TaskStore = {
    save: async (task) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return kept.save(task);
    },
    load: async (id) => kept.load(id),
    remove: async (id) => kept.remove(id),
  };
  const { toolset, finish } = waiting();
  const client = taskClient(await serveTasks(toolset, { tasks: { afterMs: 0, store: slow } }));
  const { taskId } = (await client.call('work')).result ?? {};
  expect(await kept.load(String(taskId))).toMatchObject({ status: 'working', call: { name: 'work', arguments: {} } });
  finish(toolResult('Done.'));
  expect((await client.until(taskId, 'completed')).result?.content[0]?.text).toBe('Done.');
});
