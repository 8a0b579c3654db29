import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';

const returning = (value: unknown) => createRegistry([simple('a', { effect: 'read' }, () => value)]).execute('a');

test.each([
  [{ forLLM: 'x', forUser: {} }, '"forUser" is not a string (it is an object)'],
  [{ forLLM: 'x', async: 'yes' }, '"async" is not a boolean (it is string)'],
  [{ forLLM: 'x', silent: 1 }, '"silent" is not a boolean'],
  [{ forLLM: 'x', isError: null }, '"isError" is not a boolean (it is null)'],
  [{ forLLM: 'x', media: {} }, '"media" is not an array'],
  [{ forLLM: 'x', media: ['a'] }, '"media/0" is not a part'],
  [{ forLLM: 'x', media: [{ type: 'picture', mimeType: 'image/png', data: '' }] }, '"media/0/type" is not "image"'],
  [{ forLLM: 'x', media: [{ type: 'image', data: '' }] }, '"media/0/mimeType" is not a string'],
  [
    { forLLM: 'x', media: [{ type: 'image', mimeType: 'image/png', data: [1, 2] }] },
    '"media/0/data" is not base64 text',
  ],
  [{ forLLM: 'x', media: [{ type: 'image', mimeType: 'image/png', url: 5 }] }, '"media/0/url" is not a string'],
  [{ forLLM: 'x', media: [{ type: 'image', mimeType: 'image/png' }] }, '"media/0" has neither data nor url'],
])('the result %j is TOOL_FAILED with the field that is wrong', async (value, why) => {
  verifies('tools.result.lossless');
  const result = await returning(value);
  expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.forLLM).toContain(why);
});

test('the bytes of media become base64, and other media stay as they are', async () => {
  verifies('tools.result.lossless', 'result.media');
  const bytes = new Uint8Array([0, 137, 80, 78, 71, 0]).subarray(1, 4);
  const text = { type: 'image', mimeType: 'image/png', data: 'aW1n', name: 'a.png' };
  const link = { type: 'file', mimeType: 'application/pdf', url: 'https://example.com/a.pdf' };
  for (const data of [bytes, Buffer.from(bytes)]) {
    const media = [{ type: 'image', mimeType: 'image/png', data }, text, link];
    // oxlint-disable-next-line no-await-in-loop
    const result = await returning({ forLLM: 'x', media });
    expect(result.media).toEqual([{ type: 'image', mimeType: 'image/png', data: 'iVBO' }, text, link]);
  }
});
