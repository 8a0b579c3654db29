import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** URL parsers remove `.` and `..` even if they are percent-encoded, so the request would reach another path. */
export function toPathSegment(name: string): string {
  const encoded = encodeURIComponent(name.isWellFormed() ? name : '');
  if (!['', '.', '..'].includes(encoded)) return encoded;
  const text = `${JSON.stringify(sliceHead(name, 80))} cannot be a part of a name: it would lead to another address.`;
  throw new KernelError('CONFIG_INVALID', text, { hint: 'Use the name that the vendor lists.' });
}
