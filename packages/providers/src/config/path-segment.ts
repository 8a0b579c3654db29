import { KernelError } from '@kernel/protocol';

/**
 * Encodes a model's name as one segment of a URL path. Throws `CONFIG_INVALID` for `.` and `..`: URL parsers remove them, however their dots
 * are written, so the request would reach another path.
 */
export function toPathSegment(name: string): string {
  const encoded = encodeURIComponent(name.isWellFormed() ? name : '');
  if (!['', '.', '..'].includes(encoded)) return encoded;
  const text = `${JSON.stringify(name.slice(0, 80))} cannot be a part of a model's name: it would lead to another address.`;
  throw new KernelError('CONFIG_INVALID', text, { hint: 'Use the name that the vendor lists.' });
}
