import { nearest } from '@kernel/internal';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import { pathsOf } from './settings.ts';
import { CONFIG_KEYS } from './types.ts';

const PATHS = [
  ...CONFIG_KEYS,
  'name',
  ...pathsOf(RUN_SETTINGS),
  ...pathsOf(CLIENT_SETTINGS, 'client.'),
  'provider.name',
  'provider.base_url',
  'provider.options.token',
  'provider.options.auth_type',
  'provider.options.auth_header',
  'provider.options.deployment',
  'provider.options.api_version',
  'provider.options.region',
  'model.name',
  'model.capabilities',
  'model.prices',
  'model.capabilities.chat.max_tokens',
  'model.capabilities.chat.temperature',
  'model.capabilities.tools.tool_choice',
];
const PATH_BY_KEY = new Map(PATHS.map((path) => [path.split('.').at(-1) ?? path, path]));

/** The path of the setting that an unknown key of a block may mean: a near key of the same block first, then of the whole config. */
export function nearPath(key: string, block: string, known: Iterable<string>): string | undefined {
  const [sibling] = nearest(key, known, 1);
  if (sibling !== undefined) return block === '' ? sibling : `${block}.${sibling}`;
  const [elsewhere = ''] = nearest(key, PATH_BY_KEY.keys(), 1);
  const path = PATH_BY_KEY.get(elsewhere);
  // A file may have the agent in a block of its own.
  return path !== undefined && /^agent(?:\.|$)/.test(block) ? `agent.${path}` : path;
}
