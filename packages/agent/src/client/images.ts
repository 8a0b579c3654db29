import { sliceHead } from '@kernel/internal';
import { KernelError, type MediaPart, type Message, type TextPart } from '@kernel/protocol';
import type { ImageInput } from './types.ts';

/** Returns the messages with images on the last user message. Throws `CONFIG_INVALID` if there are no images or no such message. */
export function withImages(messages: readonly Message[], images: readonly ImageInput[]): readonly Message[] {
  if (images.length === 0)
    throw new KernelError('CONFIG_INVALID', 'A vision request has no image.', {
      hint: 'Pass URLs, data URLs or image parts.',
    });
  const index = messages.findLastIndex((message) => message.role === 'user');
  const last = messages[index];
  if (last?.role !== 'user')
    throw new KernelError('CONFIG_INVALID', 'A vision request has no user message to put its images on.');
  const parts: readonly (TextPart | MediaPart)[] =
    typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content;
  return messages.with(index, { role: 'user', content: [...parts, ...images.map(toPart)] });
}

function toPart(image: ImageInput): MediaPart {
  if (typeof image !== 'string') return image;
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(image) ?? [];
  if (mimeType !== undefined && data !== undefined) return { type: 'image', mimeType, data };
  if (URL.canParse(image) && /^https?:/.test(image)) return { type: 'image', mimeType: 'image/*', url: image };
  throw new KernelError(
    'CONFIG_INVALID',
    `"${sliceHead(image, 80)}" is not an image: neither an http URL nor a base64 data URL.`,
    { hint: 'Read the file into a data URL first.' },
  );
}
