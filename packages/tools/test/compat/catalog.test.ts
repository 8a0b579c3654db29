import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as catalog from '../../src/compat/catalog.ts';
import { createRegistry } from '../../src/index.ts';
import { caught } from '../support.ts';

const tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
};

test('the catalog offers seed 000’s functions over one registry that shares nothing with others', async () => {
  verifies('tools.catalog');
  expect(catalog.list()).toEqual([]);
  catalog.register(tool, (input) => `read ${JSON.stringify(input)}`);
  expect(catalog.list()).toEqual([tool]);
  expect(typeof catalog.get('read_file')?.handler).toBe('function');
  expect(caught(() => catalog.register(tool, () => 1)).code).toBe('TOOL_ALREADY_EXISTS');
  expect((await catalog.execute('read_file', '{"path":"a"}')).forLLM).toBe('read {"path":"a"}');
  catalog.replace(tool, () => 'replaced');
  expect((await catalog.execute('read_file')).forLLM).toBe('replaced');
  expect(caught(() => catalog.replace({ ...tool, name: 'nope' }, () => 1)).code).toBe('TOOL_NOT_FOUND');
  expect((await catalog.execute('nope')).code).toBe('TOOL_NOT_FOUND');
  expect(createRegistry().list()).toEqual([]);
});
