import { checkFunctions, KernelError } from '@kernel/protocol';
import type { ModelClient } from './types.ts';

/** Model clients by name. */
export interface ModelClients {
  /** Returns the client of this name, which is created at its first use. Throws `CONFIG_INVALID` for an unknown name, listing the known ones. */
  get(name: string): ModelClient;
  /** All names, sorted. */
  readonly names: readonly string[];
}

/** Creates a collection of clients, each of which is created at its first use. A factory that throws is called again next time. */
export function createModelClients(factories: Readonly<Record<string, () => ModelClient>>): ModelClients {
  checkFunctions('createModelClients', factories);
  const factoryByName = new Map(Object.entries(factories));
  const clients = new Map<string, ModelClient>();
  const names = Object.freeze([...factoryByName.keys()].toSorted());
  return {
    names,
    get(name) {
      const existing = clients.get(name);
      if (existing !== undefined) return existing;
      const factory = factoryByName.get(name);
      if (factory === undefined)
        throw new KernelError('CONFIG_INVALID', `No model client is named "${name}".`, {
          hint: names.length === 0 ? 'No model client is defined.' : `Known: ${names.join(', ')}.`,
        });
      const client = factory();
      clients.set(name, client);
      return client;
    },
  };
}
