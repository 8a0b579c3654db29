import { KernelError, type MediaPart, type Message, type ProviderEvent, type ProviderRequest } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { verifies } from '@kernel/testing';
import { httpError } from '../../src/http/errors.ts';
import { streamChecked } from '../../src/vendor-rules/checked-media.ts';
import { imageSize } from '../../src/vendor-rules/image-size.ts';

const padded = (bytes: readonly number[]): string =>
  Buffer.concat([Buffer.from(bytes), Buffer.alloc(Math.max(0, 40 - bytes.length))]).toString('base64');
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const png = (width: number, height: number): string => {
  const head = Buffer.alloc(32);
  head.set(ascii('\u0089PNG\r\n\u001a\n'));
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return padded([...head]);
};
const picture = (data = png(10, 10), mimeType = 'image/png'): MediaPart => ({ type: 'image', mimeType, data });
const shown = (...content: MediaPart[]): Message => ({ role: 'tool', toolCallId: '1', name: 'look', content });

function vendor(refuses: (request: ProviderRequest) => string | undefined = () => undefined, status = 400) {
  const requests: ProviderRequest[] = [];
  async function* stream(request: ProviderRequest): AsyncGenerator<ProviderEvent> {
    requests.push(request);
    const why = refuses(request);
    if (why !== undefined) throw new KernelError('PROVIDER_HTTP', `v answered ${status}: ${why}`, { data: { status } });
    yield {
      type: 'message-end',
      message: { role: 'assistant', content: [{ type: 'text', text: 'fine' }] },
      finishReason: 'stop',
    };
  }
  return { requests, stream };
}

async function warningsOf(events: AsyncIterable<ProviderEvent>): Promise<string> {
  let warnings = '';
  for await (const event of events) if (event.type === 'message-end') warnings = JSON.stringify(event.warnings ?? []);
  return warnings;
}

test.each<[string, string]>([
  ['PNG', png(300, 200)],
  ['GIF', padded([...ascii('GIF89a'), 300 & 255, 300 >> 8, 200, 0])],
  ['JPEG', padded([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 44, 1, 0, 0, 0])],
  ['WebP, extended', padded([...ascii('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0'), 43, 1, 0, 199, 0, 0])],
  ['WebP, lossy', padded([...ascii('RIFF\0\0\0\0WEBPVP8 '), 0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 200, 0])],
  ['WebP, lossless', padded([...ascii('RIFF\0\0\0\0WEBPVP8L'), 0, 0, 0, 0, 0x2f, 43, 0xc1, 0x31, 0])],
])('the size of a picture is read from its first bytes: %s', (_, data) => {
  expect(imageSize(data)).toEqual({ width: 300, height: 200 });
});

test('bytes that are no picture have no size, and are left to the vendor', () => {
  expect([imageSize(''), imageSize('%%%'), imageSize(padded(ascii('hello')))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each<[string, MediaPart, object, string]>([
  ['too many pixels on a side', picture(png(9000, 40)), { imageSide: 8000 }, '9000 × 40 pixels'],
  ['too many pixels in all', picture(png(900, 900)), { imageArea: 1000 }, '1000 in all'],
  ['too many bytes', picture('a'.repeat(4_000_000)), { imageBytes: 1024 * 1024 }, '2.9 MiB'],
  ['a type that it does not take', picture(png(1, 1), 'image/tiff'), { imageTypes: ['image/png'] }, 'Convert it'],
])('a picture with %s is not sent: a line says why, and so does a warning', async (_, part, limits, why) => {
  verifies('providers.media.refused');
  const { requests, stream } = vendor();
  const request = { model: 'm', messages: [shown(part)] };
  expect(await warningsOf(streamChecked('v', () => limits, request, stream))).toContain(why);
  expect(JSON.stringify(requests[0]?.messages)).toContain(why);
  expect(JSON.stringify(requests[0]?.messages)).not.toContain('"image"');
  await warningsOf(streamChecked('v', () => limits, request, stream));
  expect(requests[1]?.messages[0]).toBe(requests[0]?.messages[0]);
});

test('of more pictures than a vendor takes, the newest are sent', async () => {
  verifies('providers.media.refused');
  const { requests, stream } = vendor();
  const [first, second, third] = [picture(), picture(), picture()];
  await warningsOf(
    streamChecked('v', () => ({ images: 2 }), { model: 'm', messages: [shown(first, second), shown(third)] }, stream),
  );
  expect(
    requests[0]?.messages.map(({ content }) => (content as readonly { type: string }[]).map(({ type }) => type)),
  ).toEqual([['text', 'image'], ['image']]);
});

test('a picture that a vendor refuses is sent once more without it, and never again, and pictures taken before stay', async () => {
  verifies('providers.media.refused');
  const [good, bad] = [picture(), picture(png(7, 7))];
  const { requests, stream } = vendor(({ messages }) =>
    messages.some(({ content }) => (content as readonly object[]).includes(bad))
      ? 'could not process image'
      : undefined,
  );
  await warningsOf(streamChecked('v', () => ({}), { model: 'm', messages: [shown(good)] }, stream));
  const messages = [shown(good), shown(bad)];
  expect(await warningsOf(streamChecked('v', () => ({}), { model: 'm', messages }, stream))).toContain(
    'could not process image',
  );
  await warningsOf(streamChecked('v', () => ({}), { model: 'm', messages }, stream));
  expect(requests).toHaveLength(4);
  expect(requests[3]?.messages[0]?.content).toContain(good);
  expect(JSON.stringify(requests[3]?.messages[1])).toContain('was left out: v answered 400');
});

test('a refusal that is not about media, or of the second attempt, is told as it is', async () => {
  verifies('providers.media.refused');
  const other = vendor(() => 'max_tokens is too large');
  const request = { model: 'm', messages: [shown(picture())] };
  await expect(warningsOf(streamChecked('v', () => ({}), request, other.stream))).rejects.toThrow('max_tokens');
  expect(other.requests).toHaveLength(1);
  const always = vendor(() => 'invalid image');
  await expect(warningsOf(streamChecked('v', () => ({}), request, always.stream))).rejects.toThrow('invalid image');
  expect(always.requests).toHaveLength(2);
});

test.each([
  ['messages.3.content.1.image: too large', 'message 4 of the request (messages.3.content.1.image)'],
  ["Invalid type for 'input[5].content': expected a string", 'message 6 of the request (input[5].content)'],
  ['tools.0.custom.name: should match pattern', 'tool 1 of the request (tools.0.custom.name)'],
])('a request that is refused as a whole names what it was about: %s', (message, named) => {
  verifies('providers.errors.part');
  const body = JSON.stringify({ error: { message } });
  const redactor = { text: (text: string) => text } as never;
  expect(httpError('v', 400, {}, body, redactor).hint).toContain(named);
});
