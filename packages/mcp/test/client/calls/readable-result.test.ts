import * as sdk from '@modelcontextprotocol/client';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { withReadableParts } from '../../../src/client/calls/readable-result.ts';
import { toToolResult } from '../../../src/client/calls/tool-result.ts';

/** What the model reads of a result as a server sends it. */
function readOf(result: object, mismatch?: string, hasApp = false) {
  const message = withReadableParts(sdk, { jsonrpc: '2.0', id: 1, result: { ...result } });
  if (!('result' in message) || !sdk.isSpecType.CallToolResult(message.result)) throw new Error('refused');
  const { content = [], ...rest } = message.result;
  // So the SDK asks of a server with a protocol of 2025.
  expect(rest.structuredContent ?? {}).toBeTypeOf('object');
  expect([null, true]).not.toContain(rest.structuredContent);
  return toToolResult({ ...rest, content }, hasApp, mismatch);
}
const text = (value: string) => ({ type: 'text', text: value });

describe('a result of which one part cannot be read', () => {
  test.each([
    ['a part of an unknown type', { type: 'chart', series: [] }],
    ['a picture without data', { type: 'image', mimeType: 'image/png' }],
    ['a picture that is not base64', { type: 'image', mimeType: 'image/png', data: '<svg/>' }],
    ['a resource without an address', { type: 'resource', resource: { text: 'x' } }],
    ['a text that is null', { type: 'text', text: null }],
    ['null', null],
    ['a number', 7],
  ])('keeps the others: %s', (_, part) => {
    verifies('mcp.client.readable');
    const { forLLM } = readOf({ content: [text('Three projects.'), part, text('End.')] });
    expect(forLLM).toMatch(/^Three projects\.\n\(A part of the result.*cannot be read and was left out\.\)\nEnd\.$/);
  });

  test.each([
    ['annotations that are null', { ...text('good'), annotations: null }],
    ['annotations of another shape', { ...text('good'), annotations: { priority: 'high' } }],
    ['a plain string', 'good'],
  ])('loses nothing: %s', (_, part) => {
    expect(readOf({ content: [part] }).forLLM).toBe('good');
  });

  test.each([
    ['no content', { structuredContent: { a: 1 } }, '{"a":1}'],
    ['content that is null', { content: null, structuredContent: { a: 1 } }, '{"a":1}'],
    ['structured content that is null', { content: [text('good')], structuredContent: null }, 'good'],
    ['structured content that is a list', { content: [], structuredContent: [1, 2] }, '[1,2]'],
    ['flags that are null', { content: [text('good')], isError: null, _meta: null }, 'good'],
  ])('is read with %s', (_, result, expected) => {
    verifies('mcp.client.readable');
    expect(readOf(result).forLLM).toBe(expected);
  });

  test.each([
    [
      'a resource whose type is null',
      { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'hi', mimeType: null } }] },
      'a://b:\nhi',
    ],
  ])('is read with %s', (_, result, expected) => {
    expect(readOf(result).forLLM).toBe(expected);
  });

  test('other messages stay as they are', () => {
    const prompt = { jsonrpc: '2.0' as const, id: 1, result: { messages: [{ role: 'user', content: null }] } };
    expect(withReadableParts(sdk, prompt)).toBe(prompt);
  });
});

describe('structured content', () => {
  const data = { projects: [{ id: 'p1', name: 'Alpha' }] };
  test.each([
    [
      'a text that is a summary',
      { content: [text('1 item.')], structuredContent: data },
      `1 item.\n${JSON.stringify(data)}`,
    ],
    [
      'a failure',
      { content: [text('failed')], structuredContent: { reason: 'full' }, isError: true },
      'failed\n{"reason":"full"}',
    ],
  ])('is written beside %s', (_, result, expected) => {
    verifies('mcp.client.readable');
    expect(readOf(result).forLLM).toBe(expected);
  });

  test.each([
    ['the same JSON', JSON.stringify(data, undefined, 2), data],
    ['the only value of it', '42', { result: 42 }],
    ['each of its values', 'Alpha (p1)', data],
  ])('is not written twice where the text has %s', (_, written, structuredContent) => {
    expect(readOf({ content: [text(written)], structuredContent }).forLLM).toBe(written);
  });

  test('is not written where each text is one of its items', () => {
    const result = { content: [text('{"n":1}'), text('{"n":2}')], structuredContent: { result: [{ n: 1 }, { n: 2 }] } };
    expect(readOf(result).forLLM).toBe('{"n":1}\n{"n":2}');
  });

  test('is for the page alone of a tool with an app', () => {
    expect(readOf({ content: [text('Shown.')], structuredContent: data }, undefined, true).forLLM).toBe('Shown.');
  });

  test('that breaks the output schema is told and is no data', () => {
    verifies('mcp.client.readable');
    const result = readOf({ content: [text('Alpha')] }, 'it has no structured content');
    expect(result).toEqual({
      forLLM: "Alpha\n(This is not what the tool's output schema promises: it has no structured content.)",
    });
  });
});
