import { isObject } from '@kernel/internal';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import type { Setting, SettingTable } from './settings.ts';

/** The blocks of an agent, each with its settings. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  provider: ['name', 'base_url', 'options'],
  model: ['name', 'capabilities', 'prices'],
  client: keysOf(CLIENT_SETTINGS),
};

/**
 * Whether JSON is a config that `fromConfig` reads, mistakes included: one of its blocks has one of its settings. Other programs have a `config.json` with
 * blocks of these names, too. Needs no zod.
 */
export function isConfig(json: unknown): json is object {
  if (!isObject(json)) return false;
  const { agent, agents } = json;
  if (isObject(agent) && (Object.keys(agent).length === 0 || isAgent(agent))) return true;
  return isAgent(json) || (isObject(agents) && Object.values(agents).some((each) => isObject(each) && isAgent(each)));
}

function isAgent(block: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.values(RUN_SETTINGS).some((setting) => isSetting(block[setting.key], setting)) ||
    Object.entries(BLOCKS).some(([name, keys]) => Object.hasOwn(block, name) && hasOneOf(block[name], keys))
  );
}

function isSetting(value: unknown, { is }: Setting): boolean {
  if (typeof is === 'object') return hasOneOf(value, keysOf(is));
  return typeof value === (is === 'text' ? 'string' : is === 'true or false' ? 'boolean' : 'number');
}

function hasOneOf(value: unknown, keys: readonly string[]): boolean {
  return isObject(value) && keys.some((key) => Object.hasOwn(value, key));
}

function keysOf(settings: SettingTable): readonly string[] {
  return Object.values(settings).map(({ key }) => key);
}
