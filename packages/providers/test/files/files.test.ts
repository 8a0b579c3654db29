import type { KernelError, MediaPart, Message } from '@kernel/protocol';
import { messageSchema } from '@kernel/protocol/schemas';
import {
  type RawReply,
  type RecordedRequest,
  startWireServer,
  verifies,
  type WireName,
  type WireServer,
} from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { type FileConfig, type FileUpload, uploadFile } from '../../src/files/index.ts';
import { sentOver } from '../sent.ts';
import { endOf, errorOf, request, until } from '../support.ts';
import { transport } from '../transport.ts';
import { withWire } from '../wires.ts';

const data = new Uint8Array([0, 13, 10, 45, 45, 255]);
const PDF: FileUpload = { data, mimeType: 'application/pdf', name: 'a "b".pdf' };

function reply(body: object, headers: Readonly<Record<string, string>> = {}, status = 200): RawReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, chunks: [JSON.stringify(body)] };
}

async function withUploads(
  replies: (server: WireServer, request: RecordedRequest, at: number) => RawReply,
  work: (server: WireServer) => Promise<void>,
): Promise<void> {
  const server: WireServer = await startWireServer({ replies: (given, at) => replies(server, given, at) });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

describe('uploadFile', () => {
  test.each([
    ['openai', '/v1/files', true],
    ['openai-responses', '/v1/files', true],
    ['anthropic', '/v1/files', false],
  ] as const)('sends a form to %s, and gives the part with the id', async (name, path, hasPurpose) => {
    verifies('providers.files.upload');
    const take = () => reply({ id: 'file_1', type: 'file', filename: 'a.pdf' });
    await withUploads(take, async (server) => {
      const config: FileConfig = { name, baseUrl: server.baseUrl, token: 'k', ...transport };
      const uploaded = await uploadFile(config, PDF);
      expect(uploaded).toEqual({
        id: 'file_1',
        part: { type: 'file', mimeType: 'application/pdf', id: 'file_1', name: 'a "b".pdf' },
      });
      const [sent] = server.requests;
      expect(sent?.path).toBe(path);
      // Read by the platform's own parser of forms.
      const type = String(sent?.headers['content-type']);
      const form = await new Response(Buffer.from(sent?.bytes ?? []), { headers: { 'content-type': type } }).formData();
      const file = form.get('file') as File;
      expect([file.name, file.type, form.get('purpose')]).toEqual([
        'a "b".pdf',
        'application/pdf',
        hasPurpose ? 'user_data' : null,
      ]);
      expect(new Uint8Array(await file.arrayBuffer())).toEqual(data);
    });
  });

  test('takes the two steps of Gemini, and gives the part with the address', async () => {
    verifies('providers.files.upload');
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/f1';
    await withUploads(
      (server, _, at) =>
        at === 0
          ? reply({}, { 'x-goog-upload-url': `${server.url}/upload/v1beta/files?upload_id=7` })
          : reply({ file: { name: 'files/f1', uri, state: 'ACTIVE' } }),
      async (server) => {
        const image = { ...PDF, mimeType: 'image/png' };
        const uploaded = await uploadFile({ name: 'gemini', baseUrl: server.url, token: 'k', ...transport }, image);
        const part = { type: 'image', mimeType: 'image/png', url: uri, name: 'a "b".pdf' };
        expect(uploaded).toEqual({ id: 'files/f1', part });
        const [begin, send] = server.requests;
        expect(begin).toMatchObject({
          path: '/upload/v1beta/files',
          headers: {
            'x-goog-upload-command': 'start',
            'x-goog-upload-header-content-length': '6',
            'x-goog-upload-header-content-type': 'image/png',
            'x-goog-api-key': 'k',
          },
        });
        expect(send).toMatchObject({
          path: '/upload/v1beta/files?upload_id=7',
          headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
        });
        expect(new Uint8Array(send?.bytes ?? [])).toEqual(data);
      },
    );
  });

  test('gives the key to no other origin, and names what is missing in an answer', async () => {
    verifies('providers.files.failure');
    const answers = [
      reply({}, { 'x-goog-upload-url': 'https://elsewhere.test/upload' }),
      reply({}),
      reply({ object: 'file' }),
      reply({ error: { message: 'too large, sk-secret-key' } }, {}, 413),
    ];
    await withUploads(
      (_, __, at) => answers[at] ?? reply({}),
      async (server) => {
        const google = { name: 'gemini', baseUrl: server.url, token: 'k', ...transport } as const;
        const openai = { name: 'openai', baseUrl: server.baseUrl, token: 'sk-secret-key', ...transport } as const;
        for (const message of [/no address at http/, /no address at http/])
          // oxlint-disable-next-line no-await-in-loop -- one answer after another
          expect(await errorOf(uploadFile(google, PDF))).toMatchObject({
            code: 'PROVIDER_PROTOCOL',
            message: expect.stringMatching(message) as unknown,
          });
        expect(await errorOf(uploadFile(openai, PDF))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
        const refused = await errorOf(uploadFile(openai, PDF));
        expect([refused.code, JSON.stringify(refused).includes('sk-secret-key')]).toEqual(['PROVIDER_HTTP', false]);
        expect(server.requests).toHaveLength(4);
      },
    );
  });

  test.each(['openai', 'anthropic', 'gemini'] as const)(
    'an empty id from %s is a typed error, not a part that names nothing',
    async (name) => {
      verifies('providers.files.failure');
      const empty = (server: WireServer) =>
        reply({ id: '', file: { name: '', uri: '' } }, { 'x-goog-upload-url': `${server.url}/upload/v1beta/files` });
      await withUploads(empty, async (server) => {
        const baseUrl = name === 'openai' ? server.baseUrl : server.url;
        const error = await errorOf(uploadFile({ name, baseUrl, token: 'k', ...transport }, PDF));
        expect(error.code).toBe('PROVIDER_PROTOCOL');
      });
    },
  );

  test.each(['openai', 'gemini'] as const)(
    'a type or a name with line breaks adds no header and no field on %s',
    async (name) => {
      verifies('providers.files.failure');
      const take = (server: WireServer) =>
        reply(
          { id: 'f', file: { name: 'files/f', uri: 'u' } },
          { 'x-goog-upload-url': `${server.url}/upload/v1beta/files` },
        );
      await withUploads(take, async (server) => {
        const baseUrl = name === 'openai' ? server.baseUrl : server.url;
        const file = { ...PDF, mimeType: 'a/b\r\nx-evil: 1\r\n\r\n', name: 'n"\r\nx-evil: 1' };
        const error = await uploadFile({ name, baseUrl, token: 'k', ...transport }, file).then(
          () => undefined,
          (thrown: KernelError) => thrown.code,
        );
        const sent = server.requests.map(
          ({ bytes, headers }) => `${Buffer.from(bytes).toString('latin1')}${JSON.stringify(headers)}`,
        );
        expect([error, sent.some((text) => /^x-evil|"x-evil"/m.test(text))]).toEqual([
          name === 'openai' ? undefined : 'CONFIG_INVALID',
          false,
        ]);
      });
    },
  );

  test('an abort rejects with its reason and closes the connection', async () => {
    verifies('providers.files.failure');
    const stall: RawReply = { chunks: [], fault: { beforeHead: 'stall' } };
    await withUploads(
      () => stall,
      async (server) => {
        const controller = new AbortController();
        const config = { name: 'anthropic', baseUrl: server.url, token: 'k', ...transport } as const;
        const outcome = errorOf(uploadFile(config, { ...PDF, signal: controller.signal }));
        await until(() => server.requests.length === 1, 60_000);
        controller.abort(new Error('enough'));
        expect(await outcome).toMatchObject({ message: 'enough' });
        await until(() => server.connections.open === 0, 60_000);
      },
    );
  });

  test.each([
    [{ data: 'text' }, 'CONFIG_INVALID', 'data'],
    [{ name: '' }, 'CONFIG_INVALID', 'name'],
  ])('%j is refused', async (wrong, code, word) => {
    verifies('providers.files.failure');
    const config = { name: 'openai', baseUrl: 'http://127.0.0.1:1/v1' } as const;
    const error = await errorOf(uploadFile(config, { ...PDF, ...wrong } as never));
    expect([error.code, error.message.includes(word)]).toEqual([code, true]);
    expect(await errorOf(uploadFile({ name: 'azure' } as never, PDF))).toMatchObject({ code: 'PROVIDER_UNSUPPORTED' });
  });
});

const file: MediaPart = { type: 'file', mimeType: 'application/pdf', id: 'file_1', data: 'AAAA' };
const image: MediaPart = { type: 'image', mimeType: 'image/png', id: 'file_2' };

async function userContent(wire: WireName, parts: readonly MediaPart[]): Promise<unknown> {
  const { body } = await sentOver(wire, { cache: 'off', messages: [{ role: 'user', content: parts }] });
  const [message] = (body['messages'] ?? body['input']) as readonly { content: unknown }[];
  return message?.content;
}

describe('a part by id', () => {
  test('goes to the vendors that take it, in place of its data', async () => {
    verifies('providers.files.id');
    expect(await userContent('openai', [file])).toEqual([{ type: 'file', file: { file_id: 'file_1' } }]);
    expect(await userContent('openai-responses', [file, image])).toEqual([
      { type: 'input_file', file_id: 'file_1' },
      { type: 'input_image', file_id: 'file_2', detail: 'auto' },
    ]);
    const text: MediaPart = { type: 'file', mimeType: 'text/plain', id: 'file_3', name: 'n' };
    expect(await userContent('anthropic', [file, image, text])).toEqual([
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      { type: 'image', source: { type: 'file', file_id: 'file_2' } },
      { type: 'document', source: { type: 'file', file_id: 'file_3' }, title: 'n' },
    ]);
  });

  test.each(['openai', 'gemini', 'ollama', 'bedrock'] as const)(
    'alone is refused by %s where it has no such parts',
    async (wire) => {
      verifies('providers.files.id');
      await withWire(wire, {}, async ({ provider, server }) => {
        const error = await errorOf(provider.stream(request({ messages: [{ role: 'user', content: [image] }] })));
        expect([error.code, error.message.includes('by id'), server.requests.length]).toEqual([
          'PROVIDER_UNSUPPORTED',
          true,
          0,
        ]);
      });
    },
  );

  test('beside data is sent as the data where ids are not taken', async () => {
    verifies('providers.files.id');
    await withWire('gemini', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
      await endOf(provider.stream(request({ messages: [{ role: 'user', content: [file] }] })));
      expect(JSON.stringify(server.requests[0]?.body)).toContain('"data":"AAAA"');
    });
  });

  test('is read back from a stored history', () => {
    verifies('providers.files.id');
    const message: Message = { role: 'user', content: [image] };
    expect(messageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });
});
