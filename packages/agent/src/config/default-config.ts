import { CLIENT_SETTINGS } from './client-settings.ts';
import { defaultsOf } from './settings.ts';
import type { AgentConfig } from './types.ts';

/** The config of an empty file. Unlike `fromConfig`, it needs no zod. */
export const DEFAULT_CONFIG: AgentConfig = {
  name: 'default-agent',
  client: defaultsOf(CLIENT_SETTINGS),
  provider: { name: 'ollama', options: {} },
  model: { capabilities: {} },
};
