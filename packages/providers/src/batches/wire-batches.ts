import { delay, isObject, MAX_TIMER_MS } from '@kernel/internal';
import {
  checkFunctions,
  checkNumber,
  describeType,
  invalidOption,
  KernelError,
  type MessageEnd,
} from '@kernel/protocol';
import type { CommonConfig } from '../config/common-config.ts';
import { configError } from '../config/config-error.ts';
import { protocolError } from '../http/errors.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { asFields, asText, parseJson } from '../json-fields.ts';
import { IDENTITY_TOOL_DECODER } from '../wire/tool-encoder.ts';
import { type BaseSettings, openWire, takeBody, type Wire } from '../wire/wire.ts';
import { type BatchApi, type BatchOperations, createBatchApi } from './batch-api.ts';
import type { Batch, BatchCallOptions, Batches, BatchRequest, BatchResult } from './types.ts';

const INTERVAL_MS = 30_000;
/** The number of retryable failures in a row after which `wait` throws. */
const MAX_FAILED_POLLS = 5;
/** Each vendor's batch ends by itself within 48 hours. */
const MAX_WAIT_MS = 72 * 3_600_000;

export function createWireBatches<Config extends CommonConfig, Settings extends BaseSettings>(
  wire: Wire<Config, Settings>,
  config: Config,
  operationsOf: (api: BatchApi, settings: Settings) => BatchOperations,
): Batches {
  const { context, settings } = openWire(wire, config);
  const { limits, name, redactor } = context;
  const operations = operationsOf(createBatchApi(context), settings);
  const encodeAll = wire.createEncoder(settings);
  // An encoder reads only the fields that it knows, so the id is not sent.
  const encode = (request: BatchRequest) => encodeAll({ ...request, stream: false });

  async function get(id: string, options: BatchCallOptions = {}): Promise<Batch> {
    checkBatchId(name, id);
    return operations.get(id, options.signal);
  }

  function decode(reply: string, request: BatchRequest | undefined): MessageEnd {
    let end: MessageEnd | undefined;
    const named = asFields(parseJson(reply));
    const {
      audioType,
      toolDecoder = IDENTITY_TOOL_DECODER,
      warnings = [],
    } = request === undefined ? {} : encode(request);
    const decoder = wire.createDecoder(
      {
        name,
        model: request?.model ?? asText(named?.['model']) ?? asText(named?.['modelVersion']) ?? '',
        streams: false,
        redactor,
        warnings,
        emit: (event) => {
          if (event.type === 'message-end') end = event;
        },
        toolDecoder,
        lineLength: limits.lineLength,
        audioType,
      },
      {},
    );
    decoder.push(joinBytes([reply]));
    decoder.end();
    if (end === undefined) throw protocolError(name, 'a reply of the batch is incomplete.');
    return end;
  }

  return {
    get,
    async submit(requests, options = {}) {
      checkBatch(name, requests, operations.limits.requests);
      let characters = 0;
      const items = requests.map((request) => {
        const encoded = encode(request);
        if (encoded.background !== undefined) {
          throw new KernelError('CONFIG_INVALID', `${name}: a request of a batch has options.background.`, {
            hint: 'Remove it: the whole batch runs in the background.',
            data: { id: request.id },
          });
        }
        const body = takeBody(encoded);
        characters += body.length;
        return { id: request.id, model: request.model, body };
      });
      const most = operations.limits.characters;
      if (characters > most) {
        const hint = `The vendor accepts ${most}: submit several smaller batches.`;
        throw configError(name, `the batch has ${characters} characters of JSON.`, hint);
      }
      options.signal?.throwIfAborted();
      return operations.submit(items, options.signal);
    },
    async wait(id, options = {}) {
      checkBatchId(name, id);
      const { intervalMs = INTERVAL_MS, onPoll, signal } = options;
      checkNumber('wait', 'intervalMs', intervalMs, 1);
      checkFunctions('wait', { onPoll });
      const pauseMs = Math.min(intervalMs, MAX_TIMER_MS);
      for (let [failed, waitedMs] = [0, 0]; ; waitedMs += pauseMs) {
        if (waitedMs > MAX_WAIT_MS) throw endlessError(name, id);
        try {
          const batch = await operations.get(id, signal);
          failed = 0;
          onPoll?.(batch);
          if (batch.status !== 'running') return batch;
        } catch (error) {
          failed += 1;
          if (!KernelError.is(error) || !error.retryable || failed >= MAX_FAILED_POLLS) throw error;
        }
        await delay(pauseMs, signal);
      }
    },
    async cancel(id, options = {}) {
      checkBatchId(name, id);
      return operations.cancel(id, options.signal);
    },
    async *results(id, options = {}) {
      checkBatchId(name, id);
      const given = options.requests ?? [];
      if (!Array.isArray(given)) throw invalidOption('results', 'requests', 'an array of requests', given);
      const requests = new Map(given.map((request: BatchRequest) => [request.id, request]));
      const seen = new Set<string>();
      let lines = 0;
      for await (const result of operations.results(id, options.signal)) {
        lines += 1;
        if (lines > 2 * operations.limits.requests) throw tooManyError(name, id, operations.limits.requests);
        // Each request has one result.
        if (seen.has(result.id)) continue;
        seen.add(result.id);
        if ('error' in result) yield result;
        else yield resultOf(result.id, result.reply, requests.get(result.id));
      }
      for (const missing of requests.keys())
        if (!seen.has(missing)) yield { id: missing, error: missingError(name, missing) };
    },
  };

  function resultOf(id: string, reply: string, request: BatchRequest | undefined): BatchResult {
    try {
      return { id, end: decode(reply, request) };
    } catch (error) {
      if (KernelError.is(error)) return { id, error };
      throw error;
    }
  }
}

function endlessError(provider: string, id: string): KernelError {
  const message = `${provider}: the batch "${id}" is still running after ${MAX_WAIT_MS / 3_600_000} hours.`;
  return new KernelError('PROVIDER_TIMEOUT', message, {
    hint: 'Call cancel(id), or call wait(id) again.',
    retryable: true,
    data: { id },
  });
}

function tooManyError(provider: string, id: string, requests: number): KernelError {
  const message = `the batch "${id}" has more results than the ${requests} requests that a batch can have.`;
  return protocolError(provider, message, { hint: 'The results until then are valid.', data: { id } });
}

function missingError(provider: string, id: string): KernelError {
  return protocolError(provider, `the request "${id}" has no result.`, {
    hint: 'The batch was cancelled or has expired, or the file of results was cut short: submit the request again.',
    data: { id },
  });
}

/** The ids of requests that every vendor accepts. */
const ID = /^[\w-]{1,64}$/;

function checkBatch(provider: string, requests: readonly BatchRequest[], maxRequests: number): void {
  const fail = (message: string, hint: string): never => {
    throw configError(provider, message, hint);
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

function checkBatchId(provider: string, id: unknown): void {
  if (typeof id === 'string' && id !== '') return;
  const what = id === '' ? 'empty' : describeType(id);
  throw configError(provider, `the id of the batch is ${what}.`, 'Pass the id of the batch that submit returned.');
}
