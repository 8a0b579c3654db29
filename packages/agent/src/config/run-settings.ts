import type { Settings } from './settings.ts';

/** What a config says of a run. In a file with an `agent` block, the settings beside `agent` come before those in it. */
export interface RunSettings {
  /** The system prompt. */
  readonly systemPrompt?: string;
  /** The most model calls of a run; 0 means no limit. */
  readonly maxIterations?: number;
  /** Where a run stores its memory. */
  readonly memory?: MemoryConfig;
}

/** Where a run stores its memory. */
export interface MemoryConfig {
  /** The folder or file. */
  readonly path?: string;
}

/** The settings of a run as a file has them. */
export const RUN_SETTINGS: Settings<RunSettings> = {
  systemPrompt: { key: 'system_prompt', is: 'text' },
  maxIterations: { key: 'max_iterations', is: 'whole from 0' },
  memory: { key: 'memory', is: { path: { key: 'path', is: 'text' } } },
};
