import type { RemoteTool } from './remote-tool.ts';

/** Hashes of approved definitions, by the names of the server and of the tool on it. Plain data, to be stored between runs. */
export interface McpPins {
  /** The hashes of one server. */
  readonly [server: string]: ServerPins;
}

export interface ServerPins {
  /** SHA-256 of the definition, in hex. */
  readonly [tool: string]: string;
}

export function createDefinitionApprovals(pins: ServerPins = {}) {
  const approved = new Map<string, string>(Object.entries(pins));
  const definitions = new Map<string, RemoteTool>();
  const pending = new Map<string, string>();
  return {
    entries: (): readonly (readonly [name: string, hash: string])[] => [...approved],
    has: (name: string): boolean => approved.has(name),
    isApproved: ({ name, hash }: RemoteTool): boolean => approved.get(name) === hash,
    /** Whether this very definition waits for a decision, or was refused. */
    isPending: ({ name, hash }: RemoteTool): boolean => pending.get(name) === hash,
    /** The definition of a tool that was approved last, if it has been listed. */
    lastApproved: (name: string): RemoteTool | undefined => definitions.get(name),
    /** Approves a definition; of one whose hash alone is known from an earlier run, it stores the definition. */
    approve: (tool: RemoteTool): void => {
      approved.set(tool.name, tool.hash);
      definitions.set(tool.name, tool);
    },
    addPending: ({ name, hash }: RemoteTool): void => void pending.set(name, hash),
    removePending: ({ name }: RemoteTool): void => void pending.delete(name),
  };
}
