import { delay, MAX_TIMER_MS } from '@kernel/internal';
import {
  checkFunctions,
  checkKeys,
  checkNumber,
  KernelError,
  type MessageEnd,
  optionKeys,
  type ProviderRequest,
} from '@kernel/protocol';
import { decodeUtf8 } from '@kernel/internal';
import type { CommonConfig } from '../config/common-config.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { asFields, asText, parseJson } from '../json-fields.ts';
import { IDENTITY_TOOL_DECODER } from '../wire/tool-encoder.ts';
import { type BaseSettings, type EncodedRequest, openWire, type Wire } from '../wire/wire.ts';
import { type BatchApi, type BatchOperations, createBatchApi } from './batch-api.ts';
import { checkBatch } from './check-batch.ts';
import type {
  Batch,
  BatchCallOptions,
  Batches,
  BatchRequest,
  BatchResult,
  BatchResultOptions,
  BatchWaitOptions,
} from './types.ts';

const CALL_KEYS = optionKeys<BatchCallOptions>({ signal: true });
const WAIT_KEYS = optionKeys<BatchWaitOptions>({ signal: true, intervalMs: true, onPoll: true });
const RESULT_KEYS = optionKeys<BatchResultOptions>({ signal: true, requests: true });
const INTERVAL_MS = 30_000;
/** How many questions in a row may fail for a reason that may pass. */
const MAX_FAILED_POLLS = 5;

/** Creates the batches of a wire: its encoder writes the requests, and its decoder reads the replies. @internal */
export function createWireBatches<Config extends CommonConfig, Settings extends BaseSettings>(
  wire: Wire<Config, Settings>,
  config: Config,
  operationsOf: (api: BatchApi, settings: Settings) => BatchOperations,
): Batches {
  const { context, settings } = openWire(wire, config);
  const { name } = config;
  const operations = operationsOf(createBatchApi(name, context), settings);
  const encode = wire.createEncoder(settings);
  // Encoders read the fields that they know: the id is none of them.
  const encodeOne = (request: BatchRequest): EncodedRequest => encode({ ...request, stream: false });

  async function get(id: string, options: BatchCallOptions = {}): Promise<Batch> {
    checkKeys('get', options, CALL_KEYS);
    return operations.get(id, options.signal);
  }

  /** Reads a reply as the wire's decoder reads a whole one. */
  function decode(
    reply: string,
    request: ProviderRequest | undefined,
    encoded: EncodedRequest | undefined,
  ): MessageEnd {
    let end: MessageEnd | undefined;
    const named = asFields(parseJson(reply));
    const decoder = wire.createDecoder(
      {
        name,
        model: request?.model ?? asText(named?.['model']) ?? asText(named?.['modelVersion']) ?? '',
        streams: false,
        redactor: context.redactor,
        warnings: encoded?.warnings ?? [],
        emit: (event) => {
          if (event.type === 'message-end') end = event;
        },
        toolDecoder: encoded?.toolDecoder ?? IDENTITY_TOOL_DECODER,
        lineLength: context.limits.lineLength,
      },
      {},
    );
    decoder.push(joinBytes([reply]));
    decoder.end();
    if (end === undefined) throw new KernelError('PROVIDER_PROTOCOL', `${name}: a reply of the batch has no end.`);
    return end;
  }

  return {
    get,
    async submit(requests, options = {}) {
      checkKeys('submit', options, CALL_KEYS);
      checkBatch(name, requests, operations.limits.requests);
      let characters = 0;
      const items = requests.map((request) => {
        const encoded = encodeOne(request);
        const body = typeof encoded.body === 'string' ? encoded.body : decodeUtf8(encoded.body);
        encoded.freeBody?.();
        characters += body.length;
        return { id: request.id, model: request.model, body };
      });
      if (characters > operations.limits.characters) {
        throw new KernelError('CONFIG_INVALID', `${name}: the batch has ${characters} characters of JSON.`, {
          hint: `The vendor takes ${operations.limits.characters}: submit several batches.`,
        });
      }
      options.signal?.throwIfAborted();
      return operations.submit(items, options.signal);
    },
    async wait(id, options = {}) {
      checkKeys('wait', options, WAIT_KEYS);
      const { intervalMs = INTERVAL_MS, onPoll, signal } = options;
      checkNumber('wait', 'intervalMs', intervalMs, 1);
      checkFunctions('wait', { onPoll });
      for (let failed = 0; ;) {
        try {
          const batch = await operations.get(id, signal);
          failed = 0;
          onPoll?.(batch);
          if (batch.status !== 'running') return batch;
        } catch (error) {
          failed += 1;
          if (!KernelError.is(error) || !error.retryable || failed >= MAX_FAILED_POLLS) throw error;
        }
        await delay(Math.min(intervalMs, MAX_TIMER_MS), signal);
      }
    },
    async cancel(id, options = {}) {
      checkKeys('cancel', options, CALL_KEYS);
      return operations.cancel(id, options.signal);
    },
    async *results(id, options = {}) {
      checkKeys('results', options, RESULT_KEYS);
      const requests = new Map((options.requests ?? []).map((request) => [request.id, request]));
      for await (const result of operations.results(id, options.signal)) {
        if ('error' in result) yield result;
        else yield resultOf(result.id, result.reply, requests.get(result.id));
      }
    },
  };

  function resultOf(id: string, reply: string, request: BatchRequest | undefined): BatchResult {
    try {
      return { id, end: decode(reply, request, request && encodeOne(request)) };
    } catch (error) {
      if (KernelError.is(error)) return { id, error };
      throw error;
    }
  }
}
