// Tools with requirements: they are on offer only if these are met, and a call says what is missing.
import assert from 'node:assert/strict';
import { bindTool, createRegistry } from '@kernel/tools';
import { createCapabilities, customCapabilities } from '@kernel/tools/capabilities';

let isDocked = false;
const capabilities = createCapabilities({ checks: [customCapabilities({ printer: () => isDocked })], ttlMs: 0 });
const registry = createRegistry(
  [
    bindTool(
      { name: 'print', description: 'Prints a page.', parameters: {}, metadata: { requires: ['printer'] } },
      () => 'printed',
    ),
    bindTool(
      { name: 'greet', description: 'Greets.', parameters: {}, metadata: { optionality: 'conditional' } },
      () => 'hello',
      { when: ({ turn }) => turn === 1 }, // of use in the first turn alone
    ),
  ],
  { capabilities },
);
const { signal } = new AbortController();

await registry.listFor({ turn: 1, signal });
assert.deepEqual(registry.names(), ['greet']);
assert.deepEqual(registry.unavailable().get('print'), ['printer']);
const refused = await registry.execute('print');
console.log(refused.forLLM);
assert.equal(refused.code, 'TOOL_UNAVAILABLE');

isDocked = true;
await registry.listFor({ turn: 2, signal });
assert.deepEqual(registry.names(), ['print']);
