// A database in a handler: the context of a run reaches every handler, typed, and no model. One registry serves all requests.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

/** What the tools need from the application. */
interface App {
  readonly db: DatabaseSync;
  readonly userId: number;
}

const myOrders = defineTool<App>()({
  name: 'my_orders',
  description: "Lists the user's orders.",
  effect: 'read',
  input: z.object({ limit: z.int().max(50).default(10) }),
  handler: ({ limit }, { context }) =>
    context.db.prepare('SELECT item FROM orders WHERE user = ? LIMIT ?').all(context.userId, limit),
});
const tools = createRegistry([myOrders]); // once, for all requests

const db = new DatabaseSync(':memory:');
db.exec("CREATE TABLE orders (user, item); INSERT INTO orders VALUES (1, 'tea'), (2, 'coffee'), (1, 'cake')");

async function answer(userId: number): Promise<string> {
  const provider = scriptedProvider([{ calls: [{ name: 'my_orders' }] }, { text: 'Here they are.' }]);
  const messages = [{ role: 'user', content: 'What did I order?' }] as const;
  const result = await collect(run({ provider, model: 'any-model', messages, tools, context: { db, userId } }));
  return result.toolCalls[0]?.result.forLLM ?? '';
}

const [first, second] = await Promise.all([answer(1), answer(2)]);
assert.equal(first, '[{"item":"tea"},{"item":"cake"}]');
assert.equal(second, '[{"item":"coffee"}]');
console.log(first, second);
