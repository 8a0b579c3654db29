import { createJsonSource } from '@kernel/protocol';
import {
  type BatchApi,
  type BatchOperations,
  checkEnded,
  readResultLine,
  type VendorResult,
} from '../batches/batch-api.ts';
import type { Batch } from '../batches/types.ts';
import { toPathSegment } from '../config/base-url.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { protocolError } from '../http/errors.ts';
import { asFields, asNumber, asText, type Fields } from '../json-fields.ts';

const RUNNING: ReadonlySet<string> = new Set(['in_progress', 'canceling']);

/** Anthropic's batches of messages: https://docs.claude.com/en/api/creating-message-batches */
export function anthropicBatches(api: BatchApi, { basePath, query }: WireSettings): BatchOperations {
  const pathOf = (id?: string, operation?: string): string =>
    `${[`${basePath}/messages/batches`, ...(id === undefined ? [] : [toPathSegment(id)]), ...(operation === undefined ? [] : [operation])].join('/')}${query}`;
  const get = async (id: string, signal: AbortSignal | undefined): Promise<Batch> =>
    readBatch(api, await api.send(pathOf(id), signal));

  return {
    limits: { requests: 100_000, characters: 256_000_000 },
    get,
    async submit(items, signal) {
      const requests = items.map(({ body, id }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`);
      return readBatch(api, await api.send(pathOf(), signal, { body: `{"requests":[${requests.join(',')}]}` }));
    },
    cancel: async (id, signal) => readBatch(api, await api.send(pathOf(id, 'cancel'), signal, { body: '{}' })),
    async *results(id, signal) {
      checkEnded(api.name, await get(id, signal));
      // The address that the vendor names is not used: credentials go to no other origin.
      for await (const line of api.lines(pathOf(id, 'results'), signal)) yield readResult(api, line);
    },
  };
}

function readBatch(api: BatchApi, fields: Fields): Batch {
  const id = asText(fields['id']);
  const status = asText(fields['processing_status']);
  if (id === undefined || status === undefined)
    throw protocolError(api.name, 'the reply is not a batch: it has no id or no status.');
  const counts = asFields(fields['request_counts']);
  const count = (key: string): number => asNumber(counts?.[key]) ?? 0;
  const failed = count('errored') + count('canceled') + count('expired');
  return {
    id,
    status: RUNNING.has(status) ? 'running' : 'ended',
    ...(counts === undefined ? {} : { counts: { succeeded: count('succeeded'), failed } }),
  };
}

function readResult(api: BatchApi, line: string): VendorResult {
  const fields = readResultLine(api.name, line);
  const id = asText(fields['custom_id']);
  const result = asFields(fields['result']);
  if (id === undefined || result === undefined)
    throw protocolError(api.name, 'a line of the results has no custom_id or no result.');
  const message = asFields(result['message']);
  if (result['type'] === 'succeeded' && message !== undefined)
    return { id, reply: createJsonSource(line, fields, 'message').textOf(message) ?? JSON.stringify(message) };
  if (result['type'] === 'errored') return { id, error: api.errorOf(asFields(result['error'])?.['error']) };
  const type = asText(result['type']) ?? 'unknown';
  return {
    id,
    error: protocolError(api.name, `the request "${id}" was not answered: ${type}.`, {
      retryable: type === 'expired' || type === 'canceled',
      data: { result: type },
    }),
  };
}
