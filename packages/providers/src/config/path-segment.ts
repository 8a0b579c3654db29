import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/**
 * Encodes a name or an id as one segment of a URL path. Throws `CONFIG_INVALID` for an empty one and for `.` and `..`: URL parsers remove these even if they
 * are percent-encoded, so the request would reach another path.
 */
export function toPathSegment(name: string): string {
  const encoded = encodeURIComponent(name.isWellFormed() ? name : '');
  if (!['', '.', '..'].includes(encoded)) return encoded;
  const text = `${JSON.stringify(sliceHead(name, 80))} cannot be a part of a name: it would lead to another address.`;
  throw new KernelError('CONFIG_INVALID', text, { hint: 'Use the name that the vendor lists.' });
}
