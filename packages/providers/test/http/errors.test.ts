/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { retryAfterMs } from '../../src/http/vendor-error.ts';
import { chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const OK = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'))] };

test('a status other than 2xx throws PROVIDER_HTTP with status, request id, what the vendor says and an excerpt', async () => {
  verifies('providers.error.http');
  const body = JSON.stringify({
    error: { message: 'The model is gone.', type: 'invalid_request_error', code: 'model_not_found' },
  });
  await withServer([{ status: 404, headers: { 'x-request-id': 'req-7' }, chunks: [body] }], async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({
      code: 'PROVIDER_HTTP',
      retryable: false,
      data: { status: 404, requestId: 'req-7', body, vendorCode: 'model_not_found' },
    });
    expect(error.message).toBe('openai answered 404: The model is gone.');
  });
});

test.each([
  [502, '<html><head><title>Bad Gateway</title></head></html>', 'an HTML page: Bad Gateway', true],
  [400, 'context too long', 'context too long', false],
  [500, '', 'an empty body', true],
  [401, '{"message":"no"}', 'no', false],
  [408, '{"error":"slow"}', 'slow', true],
  [409, '', 'an empty body', true],
  [429, '{"error":{"message":"Slow down."}}', 'Slow down.', true],
  [503, '[{"error":{"message":"busy"}}]', 'busy', true],
])(
  'status %d with body %j says what it is and whether another attempt may help',
  async (status, body, said, retryable) => {
    verifies('providers.error.http');
    await withServer([{ status, chunks: [body] }], async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_HTTP', retryable, data: { status } });
      expect(error.message).toContain(said);
      expect(error.message).not.toContain('<');
    });
  },
);

test('an Azure content filter says so in the code and the message', async () => {
  const body = JSON.stringify({
    error: {
      code: 'content_filter',
      message: 'The prompt was filtered.',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    },
  });
  await withServer([{ status: 400, chunks: [body] }], async ({ provider }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({
      data: { status: 400, vendorCode: 'content_filter' },
    });
  });
});

test('the wait that a server asks for is read from seconds, dates and milliseconds; malformed values and more than a minute are ignored', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const cases: readonly [Record<string, string>, number | undefined][] = [
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '86400' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }, undefined],
    [{}, undefined],
  ];
  for (const [headers, expected] of cases) expect(retryAfterMs(headers, now)).toBe(expected);
  await withServer(
    [{ status: 429, headers: { 'retry-after': '3', 'x-should-retry': 'false' }, chunks: [] }],
    async ({ provider }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({
        retryable: false,
        data: { retryAfterMs: 3000 },
      });
    },
  );
});

test('createProvider never retries', async () => {
  await withServer([{ status: 503, chunks: [] }, OK], async ({ provider, server }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_HTTP' });
    expect(server.requests).toHaveLength(1);
  });
});

test('a key that the server echoes is in no error: not raw, not as JSON, URL or base64, not mid-stream', async () => {
  verifies('providers.auth.secret');
  const key = 'sk-"quoted"/+key=9';
  const forms = [
    key,
    JSON.stringify(key),
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
    `Bearer ${key}`,
  ];
  const echo = forms.join(' ');
  const json = JSON.stringify({ error: { message: `bad key ${echo}`, code: key, type: key } });
  const replies = [
    { status: 401, headers: { 'x-request-id': encodeURIComponent(key) }, chunks: [json] },
    { status: 400, chunks: [echo] },
    { status: 302, headers: { location: `https://other.example/?key=${encodeURIComponent(key)}` }, chunks: [] },
    { chunks: [json] },
    { chunks: [sse(chunk({ content: echo }), JSON.parse(json) as object)] },
    { chunks: [`data: ${echo}\n\n`] },
    { chunks: [sse(chunk({ content: echo }))] },
  ];
  await withServer(
    replies,
    async ({ provider, server }) => {
      for (const at of replies.keys()) {
        const error = await errorOf(provider.stream(request()));
        const told = [error.message, error.hint, JSON.stringify(error.data), String(error.cause), error.stack].join(
          '\n',
        );
        for (const form of forms.slice(0, 4))
          expect(told, `reply ${at}`).not.toContain(form.replaceAll(/^"|"$|=+$/g, ''));
      }
      expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${key}`);
    },
    { token: key },
  );
});

async function sent(config: object): Promise<Record<string, unknown>> {
  let headers: Record<string, unknown> = {};
  await withServer(
    [OK],
    async ({ provider, server }) => {
      await endOf(provider.stream(request()));
      headers = { ...server.requests[0]?.headers };
    },
    config,
  );
  return headers;
}

test('a token goes as bearer, bare in a header, or not at all', async () => {
  verifies('providers.auth');
  expect(await sent({ token: 'abcd' })).toMatchObject({ authorization: 'Bearer abcd' });
  expect(await sent({ token: 'abcd', auth: 'api_key' })).toMatchObject({ 'x-api-key': 'abcd' });
  expect(await sent({ token: 'abcd', auth: 'api_key', authHeader: 'X-Team' })).toMatchObject({ 'x-team': 'abcd' });
  for (const config of [{}, { token: 'abcd', auth: 'none' }])
    expect(await sent(config)).not.toHaveProperty('authorization');
});

test('a token function is asked again once after a 401, once for many requests at the same time', async () => {
  verifies('providers.auth');
  let asked = 0;
  const token = async (): Promise<string> => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
    return `token-${asked}`;
  };
  await withServer(
    { replies: () => OK, token: 'token-2' },
    async ({ provider, server }) => {
      const ends = await Promise.all(Array.from({ length: 5 }, () => endOf(provider.stream(request()))));
      expect(ends).toHaveLength(5);
      expect(asked).toBe(2);
      expect(server.requests.length).toBeLessThanOrEqual(10);
    },
    { token },
  );
  asked = 0;
  await withServer(
    { replies: () => OK, token: 'never' },
    async ({ provider, server }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({ data: { status: 401 } });
      expect([asked, server.requests.length]).toEqual([2, 2]);
    },
    { token },
  );
});

test('a token that no header can carry is refused without showing it', async () => {
  const error = await errorOf(createProvider({ name: 'openai', token: 'sk-line\nbreak' }).stream(request()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(`${error.message} ${error.hint}`).not.toContain('sk-line');
});
