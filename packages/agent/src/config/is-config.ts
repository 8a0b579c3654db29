import { isObject } from '@kernel/internal';

const SETTINGS = {
  provider: ['name', 'base_url', 'options'],
  model: ['name', 'capabilities', 'prices'],
  client: ['timeout', 'retry', 'connection_pool_size', 'connection_timeout'],
  memory: ['path'],
} as const;

/**
 * Whether JSON is a config that `fromConfig` reads, mistakes included: one of its blocks has one of its settings. Other programs have a `config.json` with
 * blocks of these names, too. Needs no zod.
 */
export function isConfig(json: unknown): json is object {
  if (!isObject(json)) return false;
  const { agent, agents, system_prompt: prompt, max_iterations: iterations } = json;
  if (typeof prompt === 'string' || typeof iterations === 'number') return true;
  if (isObject(agent) && (Object.keys(agent).length === 0 || isAgent(agent))) return true;
  return isAgent(json) || (isObject(agents) && Object.values(agents).some((each) => isObject(each) && isAgent(each)));
}

function isAgent(block: Readonly<Record<string, unknown>>): boolean {
  if (typeof block['system_prompt'] === 'string') return true;
  return Object.entries(SETTINGS).some(([name, keys]) => {
    const settings = Object.hasOwn(block, name) ? block[name] : undefined;
    return isObject(settings) && keys.some((key) => Object.hasOwn(settings, key));
  });
}
