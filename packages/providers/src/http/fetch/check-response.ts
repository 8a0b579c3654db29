import { isObject } from '@kernel/internal';
import { describeType, KernelError } from '@kernel/protocol';

export function checkResponse(provider: string, value: unknown): void {
  const problem = problemOf(value);
  if (problem === undefined) return;
  throw new KernelError('CONFIG_INVALID', `${provider}: fetch returned ${problem}, not a Response.`, {
    hint: 'Pass a fetch that resolves to a standard Response; a wrapper must return the Response that it received.',
  });
}

function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return describeType(value);
  const { body, headers, status } = value;
  if (typeof status !== 'number') return `${describeType(value)} without a status`;
  if (!isObject(headers) || typeof headers['entries'] !== 'function') return `${describeType(value)} without Headers`;
  if (body === undefined || body === null || (isObject(body) && typeof body['getReader'] === 'function'))
    return undefined;
  return `${describeType(value)} whose body is not a ReadableStream`;
}
