import type { Plugin } from 'rolldown';

/** A statement of the generated module: one schema. */
const SCHEMA = /^export const (z\w+) = ([^]*?);$/gm;

/**
 * Makes the schemas of the Agent Client Protocol's SDK when they are first used. Its generated module makes all 250 when it is loaded, which takes three times as long
 * as making those that a session needs; `z.lazy` is the same schema otherwise. Throws if the module has another form.
 */
export const lazySchemas: Plugin = {
  name: 'lazy-schemas',
  transform: {
    filter: { id: /@agentclientprotocol\/sdk\/dist\/.*\/zod\.gen\.js$/ },
    handler(code, id) {
      const lazy = code.replaceAll(SCHEMA, 'export const $1 = z.lazy(() => $2);');
      if (lazy === code) throw new Error(`${id} has no schemas in the expected form`);
      return lazy;
    },
  },
};
