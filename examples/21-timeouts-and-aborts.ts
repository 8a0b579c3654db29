// A handler that ignores its signal blocks nobody: the call ends at its timeout or at the abort, and the late end is reported.
import assert from 'node:assert/strict';
import { bindTool, createRegistry } from '@kernel/tools';

const work = Promise.withResolvers<string>();
const parameters = { type: 'object', properties: {} };
const registry = createRegistry([
  bindTool({ name: 'deaf', description: 'Ignores its signal.', parameters }, () => work.promise, { timeoutMs: 20 }),
]);
const late: string[] = [];
const bothEnded = Promise.withResolvers<void>();
registry.onEvent((event) => {
  if (event.type !== 'call-late') return;
  late.push(event.name);
  if (late.length === 2) bothEnded.resolve();
});

const timedOut = await registry.execute('deaf');
console.log(timedOut.forLLM);
assert.equal(timedOut.outcome, 'timeout');

const stop = new AbortController();
setTimeout(() => stop.abort(), 5);
const aborted = await registry.execute('deaf', {}, { signal: stop.signal, timeoutMs: 0 });
assert.equal(aborted.outcome, 'abandoned'); // it may still be running, and the model is informed
assert.equal(registry.abandoned, 2);

work.resolve('at last');
await bothEnded.promise;
assert.deepEqual(late, ['deaf', 'deaf']);
assert.equal(registry.abandoned, 0);
