import { verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { ESCAPES } from './escapes.ts';
const parameters = { type: 'object' } as const;
const SECRET = 'only-the-host-knows-this';
let leaked = 0;

const tools = createRegistry([
  bindTool({ name: 'echo', description: 'Returns its input.', effect: 'read', parameters }, (input) => input),
  bindTool({ name: 'fail', description: 'Fails.', effect: 'read', parameters }, () => {
    throw new Error('no');
  }),
  bindTool({ name: 'secret', description: 'Is never called.', effect: 'external', parameters }, () => {
    leaked += 1;
    return SECRET;
  }),
]);

test('there are sixty of them', () => {
  verifies('codemode.escapes');
  expect(Object.keys(ESCAPES).length).toBeGreaterThanOrEqual(60);
});
