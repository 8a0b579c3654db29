// What this package does on its own: record the steps of any loop. Agents of @kernel/agent need only `run({ …, ...context })`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDurable } from '@kernel/durable';

const folder = mkdtempSync(join(tmpdir(), 'runs-'));
const db = openDurable(join(folder, 'runs.db'));
let deliveries = 0;

const worker = db.work({
  agents: {
    courier: {
      async *run({ steps }) {
        const deliver = async () => ({ number: (deliveries += 1) });
        // Once recorded, this step never runs again, whatever happens.
        const [output] = await steps.all([{ id: 'tool:1', kind: 'tool', input: {}, run: deliver }]);
        const totals = { turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } };
        yield { type: 'run-end', reason: 'done', answer: JSON.stringify(output), ...totals };
      },
    },
  },
});
await db.start('parcel-1', { agent: 'courier', messages: [{ role: 'user', content: 'Deliver it.' }] });
const { status, result } = await db.result('parcel-1');
await worker.drain();
db.close();
rmSync(folder, { recursive: true });
console.log(status, result?.answer); // done {"number":1}
