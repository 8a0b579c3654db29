import type { RunOptions } from '../options.ts';
import type { ModelSettings } from './types.ts';

/** Returns what the options of a run say about every request. */
export function modelSettingsOf(options: RunOptions): ModelSettings {
  const { model, options: modelOptions, toolChoice, responseFormat, cache, stream } = options;
  return { model, options: modelOptions, toolChoice, responseFormat, cache, stream };
}
