import { isObject } from '@kernel/internal';
import { describeType, KernelError } from '@kernel/protocol';
import type { Batch, BatchRequest } from './types.ts';

/** The ids of requests that every vendor accepts. */
const ID = /^[\w-]{1,64}$/;

export function checkBatch(provider: string, requests: readonly BatchRequest[], maxRequests: number): void {
  const fail = (message: string, hint: string): never => {
    throw new KernelError('CONFIG_INVALID', `${provider}: ${message}`, { hint });
  };
  const given: unknown = requests;
  if (!Array.isArray(given))
    return fail(`a batch is an array of requests, not ${describeType(given)}.`, 'Pass [{ id, model, messages }, …].');
  if (requests.length === 0 || requests.length > maxRequests)
    return fail(`the batch has ${requests.length} requests.`, `Submit 1 to ${maxRequests} requests at once.`);
  const seen = new Set<string>();
  for (const [at, request] of requests.entries()) {
    if (!isObject(request))
      return fail(`requests[${at}] is ${describeType(request)}, not a request.`, 'Pass { id, model, messages }.');
    const { id } = request;
    if (typeof id !== 'string' || !ID.test(id))
      return fail(`a request has the id ${JSON.stringify(id)}.`, 'Use 1 to 64 letters, digits, "_" and "-".');
    if (seen.has(id)) return fail(`two requests have the id "${id}".`, 'Give each request a different id.');
    seen.add(id);
  }
}

export function checkBatchId(provider: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  throw new KernelError(
    'CONFIG_INVALID',
    `${provider}: the id of the batch is ${id === '' ? 'empty' : describeType(id)}.`,
    {
      hint: 'Pass the id of the batch that submit returned.',
    },
  );
}

export function checkEnded(provider: string, { id, status }: Batch): void {
  if (status !== 'running') return;
  throw new KernelError('CONFIG_INVALID', `${provider}: the batch "${id}" is still running.`, {
    hint: 'Await wait(id) first.',
  });
}
