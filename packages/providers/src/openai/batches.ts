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
import { protocolError } from '../http/errors.ts';
import { encodeForm } from '../http/form-data.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { asFields, asList, asNumber, asText, type Fields } from '../json-fields.ts';
import type { BatchPath } from './config.ts';

const RUNNING: ReadonlySet<unknown> = new Set(['validating', 'in_progress', 'finalizing', 'cancelling']);

/** OpenAI's batches, of either of its APIs: https://platform.openai.com/docs/api-reference/batch */
export function openaiBatches(
  api: BatchApi,
  pathOf: (operation: BatchPath) => string,
  endpoint: '/v1/responses' | '/v1/chat/completions',
): BatchOperations {
  async function* linesOf(file: unknown, signal: AbortSignal | undefined): AsyncGenerator<VendorResult, void> {
    const id = asText(file) ?? '';
    if (id === '') return;
    if (/^\.{1,2}$/.test(id) || !id.isWellFormed())
      throw protocolError(api.name, `the file of results has the name ${JSON.stringify(id)}.`);
    for await (const line of api.lines(pathOf(`files/${toPathSegment(id)}/content`), signal))
      yield readResult(api, line);
  }

  return {
    limits: { requests: 50_000, characters: 200_000_000 },
    async submit(items, signal) {
      const lines = items.map(
        ({ id, body }) => `{"custom_id":${JSON.stringify(id)},"method":"POST","url":"${endpoint}","body":${body}}\n`,
      );
      const file = { data: joinBytes(lines), mimeType: 'application/jsonl', name: 'batch.jsonl' };
      const uploaded = await api.send(pathOf('files'), signal, encodeForm([['purpose', 'batch']], file));
      const created = { input_file_id: asText(uploaded['id']), endpoint, completion_window: '24h' };
      if (created.input_file_id === undefined) throw protocolError(api.name, 'the uploaded file has no id.');
      return readBatch(api, await api.send(pathOf('batches'), signal, { body: JSON.stringify(created) }));
    },
    get: async (id, signal) => readBatch(api, await api.send(pathOf(batchPath(id)), signal)),
    cancel: async (id, signal) =>
      readBatch(api, await api.send(pathOf(`${batchPath(id)}/cancel`), signal, { body: '{}' })),
    async *results(id, signal) {
      const batch = await api.send(pathOf(batchPath(id)), signal);
      checkEnded(api.name, readBatch(api, batch));
      yield* linesOf(batch['output_file_id'], signal);
      yield* linesOf(batch['error_file_id'], signal);
    },
  };
}

function batchPath(id: string): `batches/${string}` {
  return `batches/${toPathSegment(id)}`;
}

function readBatch(api: BatchApi, fields: Fields): Batch {
  const id = asText(fields['id']);
  const status = asText(fields['status']);
  if (id === undefined || status === undefined)
    throw protocolError(api.name, 'the reply is not a batch: it has no id or no status.');
  const counts = asFields(fields['request_counts']);
  const reasons = asList(asFields(fields['errors'])?.['data']).flatMap(
    (each) => asText(asFields(each)?.['message']) ?? [],
  );
  return {
    id,
    status: RUNNING.has(status) ? 'running' : status === 'failed' ? 'failed' : 'ended',
    ...(counts !== undefined && {
      counts: { succeeded: asNumber(counts['completed']) ?? 0, failed: asNumber(counts['failed']) ?? 0 },
    }),
    ...(reasons.length === 0 ? {} : { error: api.excerptOf(reasons.join(' ')) }),
  };
}

function readResult(api: BatchApi, line: string): VendorResult {
  const fields = readResultLine(api.name, line);
  const id = asText(fields['custom_id']);
  if (id === undefined) throw protocolError(api.name, 'a line of the results has no custom_id.');
  const response = asFields(fields['response']);
  const status = asNumber(response?.['status_code']) ?? 0;
  const body = asFields(response?.['body']);
  if (status >= 200 && status < 300 && body !== undefined)
    return { id, reply: createJsonSource(line, fields, 'body').textOf(body) ?? JSON.stringify(body) };
  return { id, error: status >= 300 ? api.errorOf(response?.['body'], status) : api.errorOf(fields['error']) };
}
