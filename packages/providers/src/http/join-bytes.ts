import { concatBytes, node } from '@kernel/internal';

const { Buffer: NodeBuffer } = node;
const encoder = new TextEncoder();

export type NodeBuffers = NonNullable<typeof NodeBuffer>;

/** Text as UTF-8. Where the platform has `Buffer`, the memory comes from `allocate`. */
export function joinBytes(
  parts: readonly (string | Uint8Array)[],
  allocate: (size: number, buffers: NodeBuffers) => Buffer = (size, buffers) => buffers.allocUnsafe(size),
): Uint8Array {
  if (NodeBuffer === undefined)
    return concatBytes(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)));
  let size = 0;
  for (const part of parts) size += sizeOf(part);
  const whole = allocate(size, NodeBuffer);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += whole.write(part, at);
    } else {
      whole.set(part, at);
      at += part.length;
    }
  }
  return whole;
}

export function sizeOf(part: string | Uint8Array): number {
  if (typeof part !== 'string') return part.length;
  return NodeBuffer === undefined ? encoder.encode(part).length : NodeBuffer.byteLength(part);
}
