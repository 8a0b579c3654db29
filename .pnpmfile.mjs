/**
 * What pnpm changes in a manifest before it packs it. Runs on any Node that starts pnpm, so it is plain JavaScript.
 *
 * What only this repository can use goes: the condition `@kernel/source`, whose files import the private package, the development
 * dependencies and the scripts.
 */
export const hooks = {
  /** @param {Record<string, unknown>} manifest */
  beforePacking({ devDependencies: _dependencies, scripts: _scripts, ...manifest }) {
    return withoutSources(manifest);
  },
};

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function withoutSources(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== '@kernel/source');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutSources(inner)]));
}
