import { KernelError } from '@kernel/protocol';
import { type BatchApi, type BatchOperations, checkEnded, type VendorResult } from '../batches/batch-api.ts';
import type { Batch } from '../batches/types.ts';
import { toPathSegment } from '../config/base-url.ts';
import { configError } from '../config/config-error.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { protocolError } from '../http/errors.ts';
import { asFields, asList, asNumber, asText, type Fields } from '../json-fields.ts';
import { geminiPath, resourceName } from './config.ts';

const NAME = /(?:^|\/)batches\/[^/]+$/;

/** https://ai.google.dev/gemini-api/docs/batch-api */
export function geminiBatches(api: BatchApi, settings: WireSettings): BatchOperations {
  const { basePath, query } = settings;
  const pathOf = (id: string, operation = ''): string => {
    // Other resources have the same operations.
    if (!NAME.test(id))
      throw configError(
        api.name,
        `"${id}" is not the id of a batch.`,
        'Pass the id of the batch that submit returned.',
      );
    return `${basePath}/${id.split('/').map(toPathSegment).join('/')}${operation}${query}`;
  };
  const get = async (id: string, signal: AbortSignal | undefined): Promise<Batch> =>
    readBatch(api, await api.send(pathOf(id), signal));

  return {
    // The API limits the body to 20 MB. A character has one to three bytes, so this is an upper bound.
    limits: { requests: 100_000, characters: 20_000_000 },
    get,
    async submit(items, signal) {
      const [first] = items;
      const other = items.find(({ model }) => model !== first?.model);
      if (first === undefined || other !== undefined) {
        throw new KernelError(
          'CONFIG_INVALID',
          `${api.name}: a batch has one model, not "${first?.model}" and "${other?.model}".`,
          {
            hint: 'Submit a batch for each model.',
          },
        );
      }
      const model = JSON.stringify(resourceName(first.model));
      const requests = items.map(
        ({ body, id }) => `{"request":{"model":${model},${body.slice(1)},"metadata":{"key":${JSON.stringify(id)}}}`,
      );
      const name = JSON.stringify(`batch-${items.length}`);
      const whole = `{"batch":{"displayName":${name},"inputConfig":{"requests":{"requests":[${requests.join(',')}]}}}}`;
      return readBatch(
        api,
        await api.send(geminiPath(settings, first.model, 'batchGenerateContent'), signal, { body: whole }),
      );
    },
    async cancel(id, signal) {
      // The reply is empty.
      await api.send(pathOf(id, ':cancel'), signal, { body: '{}' });
      return get(id, signal);
    },
    async *results(id, signal) {
      const operation = await api.send(pathOf(id), signal);
      checkEnded(api.name, readBatch(api, operation));
      const output = asFields(operation['response']) ?? asFields(asFields(operation['metadata'])?.['output']);
      const inlined = asFields(output?.['inlinedResponses']);
      for (const entry of asList(inlined?.['inlinedResponses'])) yield readResult(api, asFields(entry) ?? {});
    },
  };
}

const RUNNING = /_(?:PENDING|RUNNING|UNSPECIFIED)$/;

function readBatch(api: BatchApi, operation: Fields): Batch {
  const id = asText(operation['name']);
  if (id === undefined) throw protocolError(api.name, 'the reply is not a batch: it has no name.');
  const metadata = asFields(operation['metadata']);
  const state = asText(metadata?.['state']) ?? '';
  const error = asText(asFields(operation['error'])?.['message']);
  const isOver = operation['done'] === true || (state !== '' && !RUNNING.test(state));
  const stats = asFields(metadata?.['batchStats']);
  // The API sends 64-bit numbers as strings.
  const count = (key: string): number => asNumber(Number(stats?.[key] ?? 0)) ?? 0;
  return {
    id,
    status: !isOver ? 'running' : error !== undefined || state.endsWith('_FAILED') ? 'failed' : 'ended',
    ...(stats !== undefined && {
      counts: { succeeded: count('successfulRequestCount'), failed: count('failedRequestCount') },
    }),
    ...(error === undefined ? {} : { error: api.excerptOf(error) }),
  };
}

function readResult(api: BatchApi, entry: Fields): VendorResult {
  const id = asText(asFields(entry['metadata'])?.['key']);
  if (id === undefined) throw protocolError(api.name, 'a result has no key.');
  const response = asFields(entry['response']);
  return response === undefined ? { id, error: api.errorOf(entry['error']) } : { id, reply: JSON.stringify(response) };
}
