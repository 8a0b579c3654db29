import { type JsonObject, type JsonValue, KernelError } from '@kernel/protocol';

/** The model options that every wire maps, under the kernel's names. */
export interface ModelOptions {
  readonly maxTokens?: JsonValue;
  readonly temperature?: JsonValue;
  readonly topP?: JsonValue;
  readonly stop?: JsonValue;
  readonly seed?: JsonValue;
  readonly reasoningEffort?: JsonValue;
  readonly parallelToolCalls?: JsonValue;
  /** How closely images are to be looked at: `vision_options.detail`. */
  readonly imageDetail?: JsonValue;
  /** Everything else, for the root of the body. */
  readonly rest: JsonObject;
}

type Known = Exclude<keyof ModelOptions, 'rest' | 'imageDetail'>;

const KNOWN: ReadonlyMap<string, Known> = new Map([
  ['maxTokens', 'maxTokens'],
  ['max_tokens', 'maxTokens'],
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['top_p', 'topP'],
  ['stop', 'stop'],
  ['seed', 'seed'],
  ['reasoningEffort', 'reasoningEffort'],
  ['reasoning_effort', 'reasoningEffort'],
  ['parallelToolCalls', 'parallelToolCalls'],
  ['parallel_tool_calls', 'parallelToolCalls'],
]);

const VISION = new Set(['visionOptions', 'vision_options']);

/**
 * Merges a provider's default options with a request's, key by key, the request's first; `maxTokens` and `max_tokens` are
 * one key. `0`, `false` and `''` are kept; `null` takes a default away. Throws `CONFIG_INVALID` for a key in `taken`: those
 * have a field of their own in a request.
 */
export function readOptions(
  defaults: JsonObject,
  own: JsonObject | undefined,
  taken: ReadonlySet<string>,
): ModelOptions {
  const known = new Map<Known | 'imageDetail', JsonValue>();
  const rest = new Map<string, JsonValue>();
  for (const options of [defaults, own ?? {}]) {
    for (const [key, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (taken.has(key)) throw takenKey(key);
      const name = KNOWN.get(key);
      if (name !== undefined) put(known, name, value);
      else if (VISION.has(key)) put(known, 'imageDetail', detailOf(value));
      else put(rest, key, value);
    }
  }
  return { ...Object.fromEntries(known), rest: Object.fromEntries(rest) };
}

function put<K>(map: Map<K, JsonValue>, key: K, value: JsonValue): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

function detailOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).find(([key]) => key === 'detail')?.[1] ?? null;
}

function takenKey(key: string): KernelError {
  return new KernelError('CONFIG_INVALID', `options.${key} cannot be set: the request has a field for it.`, {
    hint: 'Leave it out of options, and set the field of the request (model, messages, tools, toolChoice, stream, responseFormat).',
  });
}
