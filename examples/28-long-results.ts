// A result that is too long for a model: the model gets head and tail, and pages through the rest with read_result.
import assert from 'node:assert/strict';
import { bindTool, createRegistry, readResultTool } from '@kernel/tools';

const log = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}`).join('\n');
const registry = createRegistry(
  [bindTool({ name: 'read_log', description: 'Reads the log.', parameters: {} }, () => log)],
  {
    resultLimit: 1000,
  },
);
registry.register(readResultTool(registry.results));

const cut = await registry.execute('read_log');
assert.ok(cut.forLLM.length < 2000);
assert.match(cut.forLLM, /^line 1\n/);
assert.match(cut.forLLM, /line 10000/);
console.log(cut.forLLM.replaceAll(/(line \d+\n)+/g, '…\n'));
