import { KernelError } from '@kernel/protocol';
import type { BatchRequest } from './types.ts';

/** What every vendor takes as the name of a request. */
const ID = /^[\w-]{1,64}$/;

/** Throws `CONFIG_INVALID` for requests that cannot be a batch of at most `most`. @internal */
export function checkBatch(provider: string, requests: readonly BatchRequest[], most: number): void {
  const fail = (message: string, hint: string): never => {
    throw new KernelError('CONFIG_INVALID', `${provider}: ${message}`, { hint });
  };
  const given: unknown = requests;
  if (!Array.isArray(given)) return fail('a batch is a list of requests.', 'Pass [{ id, model, messages }, …].');
  if (requests.length === 0 || requests.length > most)
    return fail(`the batch has ${requests.length} requests.`, `Submit 1 to ${most} requests at once.`);
  const seen = new Set<string>();
  for (const { id } of requests) {
    if (typeof id !== 'string' || !ID.test(id))
      return fail(`a request has the id ${JSON.stringify(id)}.`, 'Use 1 to 64 letters, digits, "_" and "-".');
    if (seen.has(id)) return fail(`two requests have the id "${id}".`, 'Give each an id of its own.');
    seen.add(id);
  }
}
