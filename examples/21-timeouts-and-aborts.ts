// A handler that ignores its signal blocks nobody: the call ends at its timeout or at the abort, and the late end is reported.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { bindTool, createRegistry } from '@kernel/tools';

const parameters = { type: 'object', properties: {} };
const registry = createRegistry([
  bindTool({ name: 'deaf', description: 'Ignores its signal.', parameters }, () => pause(60, 'at last'), {
    timeoutMs: 20,
  }),
]);
const late: string[] = [];
registry.onEvent((event) => {
  if (event.type === 'call-late') late.push(event.name);
});

const timedOut = await registry.execute('deaf');
console.log(timedOut.forLLM);
assert.equal(timedOut.outcome, 'timeout');

const stop = new AbortController();
setTimeout(() => stop.abort(), 5);
const aborted = await registry.execute('deaf', {}, { signal: stop.signal, timeoutMs: 0 });
assert.equal(aborted.outcome, 'abandoned'); // it may still be running, and the model is informed
assert.equal(registry.abandoned, 2);

await pause(120);
assert.deepEqual(late, ['deaf', 'deaf']);
assert.equal(registry.abandoned, 0);
