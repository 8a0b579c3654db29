import {
  KernelError,
  type MediaLimits,
  type MediaPart,
  type Message,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@kernel/protocol';
import { openStream } from '../policies/open-stream.ts';
import { imageSize } from './image-size.ts';

type Notes = ReadonlyMap<MediaPart, string>;
type Stream = Provider['stream'];

const ABOUT_MEDIA = /image|picture|pixel|media|document|pdf|audio|base64|file/i;
const REFUSED_STATUS: ReadonlySet<unknown> = new Set([400, 413, 415, 422]);
const MIB = 1024 * 1024;

/** Parts that a vendor has taken, or refused, by its name: a history keeps the same objects. */
const taken = new WeakMap<MediaPart, string>();
const refused = new WeakMap<MediaPart, { readonly vendor: string; readonly why: string }>();
const replaced = new WeakMap<Message, { readonly key: string; readonly message: Message }>();

/**
 * Streams a request without the media that its vendor would refuse, and with it the whole request, each later one too.
 * A line that says why takes the place of each, and the reply has a warning. Where the vendor refuses media all the
 * same, the request is sent once more without what is new.
 */
export function streamChecked(
  vendor: string,
  limitsFor: (model: string) => MediaLimits,
  request: ProviderRequest,
  stream: Stream,
) {
  if (!hasMedia(request.messages)) return stream(request);
  const media = request.messages.flatMap(mediaOf);
  return openStream(request.signal, async (opening) => {
    const notes = findExcess(vendor, limitsFor(request.model), media);
    const send = () => opening.first(withWarnings(stream(withoutMedia(request, notes)), notes));
    const sent = media.filter((part) => !notes.has(part));
    try {
      const first = await send();
      for (const part of sent) taken.set(part, vendor);
      return first;
    } catch (error) {
      if (sent.length === 0 || request.signal?.aborted === true || !isAboutMedia(error)) throw error;
      const unproven = sent.filter((part) => taken.get(part) !== vendor);
      const why = `${error.message}. Use a smaller or another one, if it is needed`;
      for (const part of unproven.length > 0 ? unproven : sent) {
        refused.set(part, { vendor, why });
        notes.set(part, why);
      }
      return send();
    }
  });
}

function isAboutMedia(error: unknown): error is KernelError {
  if (!KernelError.is(error) || error.code !== 'PROVIDER_HTTP') return false;
  const { status, body } = error.data ?? {};
  return status === 413 || (REFUSED_STATUS.has(status) && ABOUT_MEDIA.test(`${error.message} ${JSON.stringify(body)}`));
}

/** Finds what the limits don't take. Of too many, the newest stay. */
function findExcess(vendor: string, limits: MediaLimits, media: readonly MediaPart[]): Map<MediaPart, string> {
  const notes = new Map<MediaPart, string>();
  const kept = { image: 0, file: 0, audio: 0 };
  const images = media.filter(({ type }) => type === 'image').length;
  const { manyImages: many, requestBytes = Infinity } = limits;
  const isMany = many !== undefined && images > many.above;
  const side = isMany ? Math.min(many.imageSide, limits.imageSide ?? Infinity) : limits.imageSide;
  let room = requestBytes * 0.9;
  for (const part of media.toReversed()) {
    const known = refused.get(part);
    const most = part.type === 'image' ? limits.images : part.type === 'file' ? limits.documents : undefined;
    const length = part.data?.length ?? 0;
    const why =
      known?.vendor === vendor
        ? known.why
        : (excessOf(vendor, { ...limits, ...(side !== undefined && { imageSide: side }) }, part) ??
          (most !== undefined && kept[part.type] >= most
            ? `${vendor} takes at most ${most} in a request`
            : undefined) ??
          (length > room ? `${vendor} takes at most ${inMib(requestBytes)} in a request` : undefined));
    if (why !== undefined) notes.set(part, why);
    else {
      kept[part.type] += 1;
      room -= length;
    }
  }
  return notes;
}

function excessOf(vendor: string, limits: MediaLimits, { type, mimeType, data }: MediaPart): string | undefined {
  const { imageTypes, imageSide = Infinity, imageArea = Infinity } = limits;
  if (type === 'image' && imageTypes?.includes(mimeType) === false)
    return `it is ${mimeType}, and ${vendor} takes ${imageTypes.join(', ')}. Convert it`;
  const bytes = ((data?.length ?? 0) * 3) / 4;
  const most = (type === 'image' ? limits.imageBytes : type === 'file' ? limits.documentBytes : undefined) ?? Infinity;
  if (bytes > most) return `it has ${inMib(bytes)}, and ${vendor} takes at most ${inMib(most)}. Use a smaller one`;
  if (type !== 'image' || data === undefined || Math.min(imageSide, imageArea) === Infinity) return undefined;
  const { width = 0, height = 0 } = imageSize(data) ?? {};
  const size = `it has ${width} × ${height} pixels, and ${vendor} takes at most`;
  if (Math.max(width, height) > imageSide) return `${size} ${imageSide} on a side in this request. Scale it down`;
  return width * height > imageArea ? `${size} ${imageArea} in all. Scale it down` : undefined;
}

const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

function isMedia(part: { readonly type: string }): part is MediaPart {
  return part.type === 'image' || part.type === 'audio' || part.type === 'file';
}

/** The messages in which there was no media: a history keeps the same objects. */
const plain = new WeakSet<Message>();

/** Whether there is media to look at. Each message of text is looked at once. */
function hasMedia(messages: readonly Message[]): boolean {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined || typeof message.content === 'string' || plain.has(message)) continue;
    for (const part of message.content) if (isMedia(part)) return true;
    plain.add(message);
  }
  return false;
}

function mediaOf({ content }: Message): readonly MediaPart[] {
  return typeof content === 'string' ? [] : content.flatMap((part) => (isMedia(part) ? [part] : []));
}

const describe = ({ type, name }: MediaPart): string => (name === undefined ? type : `${type} "${name}"`);

function withoutMedia(request: ProviderRequest, notes: Notes): ProviderRequest {
  if (notes.size === 0) return request;
  return { ...request, messages: request.messages.map((message) => replaceIn(message, notes)) };
}

/** Returns the same message for the same notes, since encoders cache by identity. */
function replaceIn(message: Message, notes: Notes): Message {
  const key = mediaOf(message)
    .map((part) => notes.get(part) ?? '')
    .join('\n');
  if (key.trim() === '' || typeof message.content === 'string') return message;
  const known = replaced.get(message);
  if (known?.key === key) return known.message;
  const content = message.content.map((part) => {
    const why = isMedia(part) ? notes.get(part) : undefined;
    return isMedia(part) && why !== undefined
      ? { type: 'text', text: `[The ${describe(part)} was left out: ${why}.]` }
      : part;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every message with media takes text in its place
  const made = Object.freeze({ ...message, content }) as Message;
  replaced.set(message, { key, message: made });
  return made;
}

async function* withWarnings(events: AsyncIterable<ProviderEvent>, notes: Notes): AsyncGenerator<ProviderEvent> {
  const warnings = [...notes].map(([part, why]) => ({ message: `The ${describe(part)} was left out: ${why}.` }));
  for await (const event of events)
    yield event.type === 'message-end' && warnings.length > 0
      ? { ...event, warnings: [...warnings, ...(event.warnings ?? [])] }
      : event;
}
