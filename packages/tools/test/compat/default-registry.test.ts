import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as compat from '../../src/compat/index.ts';
import { createRegistry } from '../../src/index.ts';
import { caught } from '../support.ts';

const tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
};

test('the module-level functions use one registry that shares nothing with others', async () => {
  verifies('tools.catalog');
  expect(compat.list()).toEqual([]);
  compat.register(tool, (input) => `read ${JSON.stringify(input)}`);
  expect(compat.list()).toEqual([tool]);
  expect(typeof compat.get('read_file')?.handler).toBe('function');
  expect(caught(() => compat.register(tool, () => 1)).code).toBe('TOOL_ALREADY_EXISTS');
  expect((await compat.execute('read_file', '{"path":"a"}')).forLLM).toBe('read {"path":"a"}');
  compat.replace(tool, () => 'replaced');
  expect((await compat.execute('read_file')).forLLM).toBe('replaced');
  expect(caught(() => compat.replace({ ...tool, name: 'nope' }, () => 1)).code).toBe('TOOL_NOT_FOUND');
  expect((await compat.execute('nope')).code).toBe('TOOL_NOT_FOUND');
  expect(createRegistry().list()).toEqual([]);
});
