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
  if (!isBlock(json)) return false;
  const { agent, agents, system_prompt: prompt, max_iterations: iterations } = json;
  if (typeof prompt === 'string' || typeof iterations === 'number') return true;
  if (isBlock(agent) && (Object.keys(agent).length === 0 || isAgent(agent))) return true;
  return isAgent(json) || (isBlock(agents) && Object.values(agents).some((each) => isBlock(each) && isAgent(each)));
}

function isAgent(block: Readonly<Record<string, unknown>>): boolean {
  if (typeof block['system_prompt'] === 'string') return true;
  return Object.entries(SETTINGS).some(([name, keys]) => {
    const settings = Object.hasOwn(block, name) ? block[name] : undefined;
    return isBlock(settings) && keys.some((key) => Object.hasOwn(settings, key));
  });
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
