import { parseJson } from '@kernel/internal';

/** The longest message that an editor may send, in bytes: a prompt of 32 MiB is one of 43 MiB in base64, and its error names the limit. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
/** How much of both ends of a message is looked at for its id. */
const END_BYTES = 4096;

/** What is known of a message that is too long. */
export interface LongMessage {
  /** Its id; undefined for a notification, and where neither end of the message has it. */
  readonly id: string | number | undefined;
  /** Whether it is an answer to a request of ours. */
  readonly isAnswer: boolean;
}

/**
 * Passes the lines of an editor on, but for those that are too long: these end where the limit is, and are no message then. `onLong` gets what is known of one at its
 * end, and returns a line that takes its place, if there is one. The SDK itself would end the connection.
 */
export function dropLongMessages(
  onLong: (message: LongMessage) => string | undefined,
  maxBytes = MAX_MESSAGE_BYTES,
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let head = '';
  let tail = '';
  const note = (piece: Uint8Array): void => {
    if (head.length < END_BYTES) head += latin1(piece.subarray(0, END_BYTES - head.length));
    tail = (tail + latin1(piece.subarray(-END_BYTES))).slice(-END_BYTES);
    length += piece.length;
  };
  return new TransformStream({
    transform(chunk, controller) {
      for (let start = 0; start < chunk.length;) {
        const end = chunk.indexOf(NEWLINE, start);
        const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
        const wasLong = length > maxBytes;
        note(piece);
        start += piece.length + 1;
        // The piece that passes the limit ends the line for those who read it: half of a message is not JSON.
        if (length <= maxBytes)
          controller.enqueue(end === -1 ? piece : chunk.subarray(start - piece.length - 1, start));
        else if (!wasLong) controller.enqueue(Uint8Array.of(NEWLINE));
        if (end === -1) continue;
        const line = length > maxBytes ? onLong(messageOf(head, tail)) : undefined;
        if (line !== undefined) controller.enqueue(new TextEncoder().encode(`${line}\n`));
        [length, head, tail] = [0, '', ''];
      }
    },
  });
}

/** Reads what stands at both ends of a message, outside of its other members. */
function messageOf(head: string, tail: string): LongMessage {
  const [members = ''] =
    /^\s*\{(?:\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\]{0,200}"|\d{1,15})\s*,)*/.exec(head) ?? [];
  const last = /,\s*("id"\s*:\s*(?:"[^"\\]{0,200}"|\d{1,15}))\s*\}\s*$/.exec(tail)?.[1] ?? '';
  const [, id = last.replace(/^"id"\s*:\s*/, '')] = /"id"\s*:\s*("[^"]*"|\d+)/.exec(members) ?? [];
  const parsed = parseJson(id);
  return {
    id: typeof parsed === 'string' || typeof parsed === 'number' ? parsed : undefined,
    isAnswer: !members.includes('"method"') && /^\s*"(?:result|error)"\s*:/.test(head.slice(members.length)),
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
