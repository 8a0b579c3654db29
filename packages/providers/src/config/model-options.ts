import { type JsonObject, type JsonValue, KernelError, type ModelOptions } from '@kernel/protocol';

const NAMES = [
  'maxTokens',
  'temperature',
  'topP',
  'stop',
  'seed',
  'reasoningEffort',
  'parallelToolCalls',
  'visionOptions',
] as const;

type OptionName = (typeof NAMES)[number];

/** Model options with the defaults and the request merged, under one spelling. */
export type ResolvedOptions = { readonly [Name in Exclude<OptionName, 'visionOptions'>]?: JsonValue } & {
  /** The `detail` of `visionOptions`. */
  readonly imageDetail?: string;
  /** Fields that are added to the root of the body. */
  readonly extra: JsonObject;
};

/** Each name in camelCase and in snake_case. */
const SPELLINGS: ReadonlyMap<string, OptionName> = new Map(
  NAMES.flatMap((name) => [
    [name, name],
    [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name],
  ]),
);

/** Key by key; the request wins. camelCase and snake_case are one key. `0`, `false` and `''` are kept; `null` removes a default. */
export function resolveOptions(
  defaults: ModelOptions,
  requested: ModelOptions | undefined,
  reserved: ReadonlySet<string>,
): ResolvedOptions {
  const known = new Map<Exclude<OptionName, 'visionOptions'> | 'imageDetail', JsonValue>();
  const extra = new Map<string, JsonValue>();
  for (const options of [defaults, requested ?? {}]) {
    for (const [key, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (reserved.has(key)) throw reservedKeyError(key);
      const name = SPELLINGS.get(key);
      if (name === undefined) setOrDelete(extra, key, value);
      else if (name === 'visionOptions') setOrDelete(known, 'imageDetail', imageDetailOf(value));
      else setOrDelete(known, name, value);
    }
  }
  return { ...Object.fromEntries(known), extra: Object.fromEntries(extra) };
}

function setOrDelete<K>(map: Map<K, JsonValue>, key: K, value: JsonValue): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

function imageDetailOf(value: JsonValue): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const detail = Object.entries(value).find(([key]) => key === 'detail')?.[1];
  return typeof detail === 'string' ? detail : null;
}

/** The fields of a request by the names that vendors and other libraries have for them, where these differ. */
const REQUEST_FIELDS: ReadonlyMap<string, string> = new Map([
  ...['model', 'modelId'].map((key) => [key, 'model'] as const),
  ...['messages', 'contents', 'input'].map((key) => [key, 'messages'] as const),
  ...['system', 'systemInstruction'].map((key) => [key, 'system, or a system message,'] as const),
  ['tools', 'tools'],
  ...['toolChoice', 'toolConfig'].map((key) => [key, 'toolChoice'] as const),
  ['stream', 'stream'],
  ['signal', 'signal'],
]);

function reservedKeyError(key: string): KernelError {
  const camelCase = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const field = REQUEST_FIELDS.get(camelCase) ?? 'model, messages, tools, toolChoice, stream or responseFormat';
  return new KernelError('CONFIG_INVALID', `options.${key} cannot be set: the request has a field for it.`, {
    hint: `Remove it from options, and set ${field} of run() or of the request itself.`,
  });
}
