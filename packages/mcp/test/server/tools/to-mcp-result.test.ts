import type { JsonValue, MediaPart, ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { toMcpResult } from '../../../src/server/tools/to-mcp-result.ts';
import { answering, connectTo, plainTool } from '../support.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const withSchema = plainTool('t', { outputSchema: schema });
const pixel = 'aGVsbG8=';

describe('text', () => {
  test('the text for the model is the first content, and nothing is marked when there is no other', () => {
    expect(toMcpResult({ forLLM: 'fine' }, undefined)).toEqual({ content: [{ type: 'text', text: 'fine' }] });
    expect(toMcpResult({ forLLM: 'fine', forUser: 'fine' }, undefined).content).toHaveLength(1);
    expect(toMcpResult({ forLLM: '' }, undefined).content).toEqual([{ type: 'text', text: '' }]);
  });

  test('a text for the user alone says who it is for, and a silent result is for the model alone', () => {
    expect(toMcpResult({ forLLM: 'raw', forUser: 'pretty' }, undefined).content).toEqual([
      { type: 'text', text: 'raw', annotations: { audience: ['assistant'] } },
      { type: 'text', text: 'pretty', annotations: { audience: ['user'] } },
    ]);
    expect(toMcpResult({ forLLM: 'raw', forUser: 'pretty', silent: true }, undefined).content).toEqual([
      { type: 'text', text: 'raw', annotations: { audience: ['assistant'] } },
    ]);
  });

  test('work that goes on says that its outcome does not come over MCP', () => {
    const [text] = toMcpResult({ forLLM: 'Started.', async: true }, undefined).content;
    expect(text).toMatchObject({
      text: expect.stringContaining('Started.\n(The work goes on in the background;') as string,
    });
  });

  test('a failure without a text still has one', () => {
    const result = toMcpResult({ forLLM: '', isError: true, error: new Error('disk full') }, undefined);
    expect(result).toEqual({ content: [{ type: 'text', text: 'disk full' }], isError: true });
  });
});

describe('media', () => {
  const only = (media: MediaPart) => toMcpResult({ forLLM: '', media: [media] }, undefined).content;

  test('images and sounds come as they are, files as resources, texts among them as text, addresses as links', () => {
    verifies('mcp.server.call');
    expect(only({ type: 'image', mimeType: 'image/png', data: pixel })).toEqual([
      { type: 'image', mimeType: 'image/png', data: pixel },
    ]);
    expect(only({ type: 'audio', mimeType: 'audio/wav', data: pixel })).toEqual([
      { type: 'audio', mimeType: 'audio/wav', data: pixel },
    ]);
    expect(only({ type: 'file', mimeType: 'application/pdf', data: pixel, name: 'a b/c.pdf' })).toEqual([
      { type: 'resource', resource: { uri: 'attachment:///a%20b%2Fc.pdf', mimeType: 'application/pdf', blob: pixel } },
    ]);
    expect(only({ type: 'file', mimeType: 'text/plain', data: pixel })).toEqual([
      { type: 'resource', resource: { uri: 'attachment:///1', mimeType: 'text/plain', text: 'hello' } },
    ]);
    expect(only({ type: 'image', mimeType: 'image/png', url: 'https://example.com/a.png' })).toEqual([
      {
        type: 'resource_link',
        uri: 'https://example.com/a.png',
        name: 'https://example.com/a.png',
        mimeType: 'image/png',
      },
    ]);
  });

  test('a text file that is not UTF-8 stays binary', () => {
    const data = Buffer.from([0xff, 0xfe]).toString('base64');
    expect(only({ type: 'file', mimeType: 'text/plain', data })).toMatchObject([{ resource: { blob: data } }]);
  });

  test('data that is not valid base64 and an empty medium are reported, and the rest arrives', async () => {
    const client = await connectTo(
      answering({
        forLLM: 'see',
        media: [
          { type: 'image', mimeType: 'image/png', data: '%%%' },
          { type: 'file', mimeType: 'text/plain', name: 'x' },
          { type: 'image', mimeType: 'image/png', data: pixel },
        ],
      }),
    );
    const { content } = await client.callTool({ name: 'answer' });
    expect(content).toMatchObject([
      { text: 'see' },
      { type: 'text', text: expect.stringContaining('not valid base64') as string },
      { type: 'text', text: expect.stringContaining('neither data nor a URL') as string },
      { type: 'image' },
    ]);
  });
});

describe('structured content', () => {
  const call = async (result: ToolResult, outputSchema?: typeof schema) => {
    const client = await connectTo(answering(result, outputSchema === undefined ? {} : { outputSchema }));
    await client.listTools(); // from here on the client checks results against the schema
    return client.callTool({ name: 'answer' });
  };

  test('data arrives as structured content, with and without an output schema', async () => {
    verifies('mcp.server.call');
    expect((await call({ forLLM: '{"n":1}', data: { n: 1 } }, schema)).structuredContent).toEqual({ n: 1 });
    expect((await call({ forLLM: 'x', data: { any: [1, null] } })).structuredContent).toEqual({ any: [1, null] });
  });

  test('data that is not an object is wrapped for the protocol versions that need one', async () => {
    for (const data of [[1, 2], 'text', 0, false, null] satisfies JsonValue[])
      expect((await call({ forLLM: 'x', data })).structuredContent).toEqual({ result: data });
  });

  test('a result without the promised data is a failure that keeps its text', async () => {
    const result = await call({ forLLM: 'half done' }, schema);
    expect(result).toMatchObject({ isError: true, content: [{ text: 'half done' }, { type: 'text' }] });
    expect(JSON.stringify(result.content)).toContain('output schema');
  });

  test("a failure's data is left out where it would have to fit the output schema", () => {
    const result: ToolResult = { forLLM: 'no', isError: true, data: { reason: 'x' } };
    expect(toMcpResult(result, withSchema)).toEqual({ content: [{ type: 'text', text: 'no' }], isError: true });
    expect(toMcpResult(result, plainTool('t'))).toMatchObject({ structuredContent: { reason: 'x' } });
  });

  test('what JSON cannot hold is told as the result of a call that ran, and is a failure of a tool that only reads', async () => {
    verifies('mcp.unreadable');
    const data = { n: 1n } as unknown as JsonValue;
    const result = await call({ forLLM: 'x', data });
    expect(result.isError).not.toBe(true);
    expect(JSON.stringify(result.content)).toMatch(/ran to its end.*cannot be sent/);
    const reading = { ...plainTool('t'), effect: 'read' } as const;
    expect(toMcpResult({ forLLM: 'x', data }, reading)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('cannot be sent') as string }],
    });
  });
});
