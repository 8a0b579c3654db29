import { KernelError } from '@kernel/protocol';
import type { Agent } from './types.ts';

/** Agents by name. */
export interface AgentCatalog {
  /** The agent of this name, made at its first use and then the same. Throws `CONFIG_INVALID` for an unknown name, listing the known. */
  get(name: string): Agent;
  /** Every name, sorted. */
  readonly names: readonly string[];
}

/** Creates a catalog of agents that are each made when first used. A factory that throws is asked again next time. */
export function createAgents(factories: Readonly<Record<string, () => Agent>>): AgentCatalog {
  const makers = new Map(Object.entries(factories));
  const made = new Map<string, Agent>();
  const names = Object.freeze([...makers.keys()].toSorted());
  return {
    names,
    get(name) {
      const known = made.get(name);
      if (known !== undefined) return known;
      const make = makers.get(name);
      if (make === undefined)
        throw new KernelError('CONFIG_INVALID', `No agent is named "${name}".`, {
          hint: names.length === 0 ? 'No agent is defined.' : `Known: ${names.join(', ')}.`,
        });
      const agent = make();
      made.set(name, agent);
      return agent;
    },
  };
}
