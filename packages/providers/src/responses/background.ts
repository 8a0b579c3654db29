import type { JsonObject } from '@kernel/protocol';
import { toPathSegment } from '../config/base-url.ts';
import { configError } from '../config/config-error.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { type ApiRequest, JSON_TYPE } from '../http/authenticated-client.ts';
import { asFields, asNumber, asText, type Fields } from '../json-fields.ts';
import type { BackgroundPaths, Continuation } from '../stream/reply-decoder.ts';

const RUNNING: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);
const MAX_ID_LENGTH = 1024;

export function isBackground(provider: string, { background, store }: JsonObject): boolean {
  if (background === undefined || background === false) return false;
  if (background !== true)
    throw configError(provider, `options.background is ${JSON.stringify(background)}.`, 'Use true or false.');
  if (store !== undefined && store !== true) {
    throw configError(
      provider,
      `options.background is true, but options.store is ${JSON.stringify(store)}: the vendor has to store a response in the background.`,
      'Remove store, or set background to false.',
    );
  }
  return true;
}

/** https://platform.openai.com/docs/guides/background */
export function backgroundPaths({ basePath, query }: WireSettings): BackgroundPaths {
  const get = (id: string): string => `${basePath}/responses/${toPathSegment(id)}`;
  return {
    get: (id) => `${get(id)}${query}`,
    cancel: (id) => `${get(id)}/cancel${query}`,
    resume(id, after) {
      const all = new URLSearchParams(query);
      all.set('stream', 'true');
      all.set('starting_after', String(after));
      return `${get(id)}?${all.toString()}`;
    },
  };
}

/** `onNext` is called before another body is read. */
export function createBackgroundProgress(paths: BackgroundPaths, streams: boolean, onNext: () => void) {
  let id: string | undefined;
  let last = -1;
  let isContinued = false;
  let isEnded = false;
  let hasProgress = false;
  let asksStream = streams;

  return {
    /** Returns false for an event that an earlier body already had. */
    advance(value: Fields) {
      const response = asFields(value['response']) ?? value;
      const name = asText(response['object']) === 'response' || value !== response ? asText(response['id']) : undefined;
      if (id === undefined && name !== undefined && isPathSafe(name)) id = name;
      const number = asNumber(value['sequence_number']);
      // Some servers do not number their events: then none can be recognized as repeated.
      if (number === undefined) return true;
      if (isContinued && number <= last) return false;
      last = Math.max(last, number);
      hasProgress = true;
      return true;
    },
    isRunning: ({ status }: Fields) => RUNNING.has(status),
    /** Whether the id is known and the response has not ended. */
    isOpen: () => id !== undefined && !isEnded,
    end() {
      isEnded = true;
    },
    next(): Continuation | undefined {
      if (id === undefined || isEnded) return undefined;
      // After a stream that brought nothing, the response is requested in one piece, and then as a stream again.
      asksStream = streams && (hasProgress || !asksStream);
      const path = asksStream ? paths.resume(id, last) : paths.get(id);
      const next = { hasProgress, streams: asksStream };
      hasProgress = false;
      isContinued = true;
      onNext();
      const accept = asksStream ? 'text/event-stream' : JSON_TYPE;
      return { ...next, request: { method: 'GET', path, accept } };
    },
    cancellation: (): ApiRequest | undefined =>
      id === undefined || isEnded ? undefined : { path: paths.cancel(id), body: '{}' },
  };
}

function isPathSafe(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && id.isWellFormed() && !/^\.{1,2}$/.test(id);
}
