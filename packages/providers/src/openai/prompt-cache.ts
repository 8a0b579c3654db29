import type { CachePoint, Message, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { asFields, asList } from '../json-fields.ts';
import { modelName, notesOf } from '../wire/model-rules.ts';
import { resolveCache } from '../wire/prompt-cache.ts';

// Models that cache prefixes in memory only, as of November 2026: https://platform.openai.com/docs/guides/prompt-caching. Newer models, and
// unrecognized names, keep them for up to a day.
const IN_MEMORY_ONLY = /^(?:gpt-3|gpt-4(?!\.1)|gpt-oss|chatgpt-|o\d|codex-mini|gpt-5-(?:mini|nano))/;

/** Models that accept marks, as of November 2026: gpt-5.6 and later. */
const MARKED = /^gpt-(\d+)(?:\.(\d+))?(?![\d.])/;
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } };

/** Copies of the messages that end a cached prefix. */
const marked = new WeakSet<Message>();

/** How a request asks for the cache: fields of its body, and the points to mark in its messages. */
interface OpenAICache {
  readonly fields: object;
  readonly points?: readonly CachePoint[] | undefined;
}

/** `isOpenAI` is false for other servers, which refuse the fields. */
export function openaiCache(request: ProviderRequest, isOpenAI: boolean, warnings: ProviderWarning[]): OpenAICache {
  const { model } = request;
  const takesMarks = isOpenAI && hasMarks(modelName(model));
  // In this mode OpenAI keeps only what is marked, and there are no marks.
  if (request.cache === 'off' && takesMarks) return { fields: { prompt_cache_options: { mode: 'explicit' } } };
  const taken = ['ttl', 'key', ...(takesMarks ? (['points'] as const) : [])] as const;
  const { key, points, ttl } = resolveCache(request, isOpenAI ? taken : [], warnings);
  const isLong = ttl !== undefined && ttl !== '5m';
  const notes = notesOf(model, warnings);
  const keepsLong = !IN_MEMORY_ONLY.test(modelName(model));
  if (isLong && !keepsLong) notes.leftOut(`cache.ttl "${ttl}"`);
  if (ttl === '1h' && keepsLong) notes.sentAs('cache.ttl "1h"', '"24h"', 'this API has no other one');
  if (points?.includes('tools') === true) notes.leftOut('cache.points "tools"', 'this API marks messages alone');
  return {
    fields: {
      ...(key === undefined ? {} : { prompt_cache_key: key }),
      ...(isLong && keepsLong ? { prompt_cache_retention: '24h' } : {}),
      ...(points === undefined ? {} : { prompt_cache_options: { mode: 'explicit' } }),
    },
    points,
  };
}

/** A string becomes an array of one part, which does not change the cached prefix: the vendor compares tokens. */
export function markEnd(
  message: Message,
  encoded: object,
  key: 'content' | 'output',
  textType: 'text' | 'input_text',
): object {
  if (!marked.has(message)) return encoded;
  const content = asFields(encoded)?.[key];
  const parts = typeof content === 'string' ? [{ type: textType, text: content }] : asList(content);
  const last = asFields(parts.at(-1));
  return last === undefined ? encoded : { ...encoded, [key]: [...parts.slice(0, -1), { ...last, ...BREAKPOINT }] };
}

function hasMarks(model: string): boolean {
  const [, major = 0, minor = 0] = (MARKED.exec(model) ?? []).map(Number);
  return major > 5 || (major === 5 && minor >= 6);
}

/** Marks the messages that end a cached prefix; without points, the messages as they are. */
export function withMarks(messages: readonly Message[], points: readonly CachePoint[] | undefined): readonly Message[] {
  if (points === undefined) return messages;
  const isInput = (at: number): boolean => ['user', 'tool'].includes(messages[at]?.role ?? '');
  const last = messages.length - 1;
  const previous = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  const places = new Set([
    points.includes('system') ? messages.findLastIndex(({ role }) => role === 'system') : -1,
    points.includes('messages') && isInput(last) ? last : -1,
    points.includes('previous') && isInput(previous) ? previous : -1,
  ]);
  return messages.map((message, at) => {
    if (!places.has(at)) return message;
    // A copy is not frozen, so that no encoder keeps it for a request that marks another message.
    const copy = { ...message };
    marked.add(copy);
    return copy;
  });
}
