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

/** Which definitions of a server's tools are approved, and which wait for a decision. Tools are identified by their names on the server. */
export interface DefinitionApprovals {
  entries(): readonly (readonly [name: string, hash: string])[];
  has(name: string): boolean;
  isApproved(tool: RemoteTool): boolean;
  /** Whether this very definition waits for a decision, or was refused. */
  isPending(tool: RemoteTool): boolean;
  /** The definition of a tool that was approved last, if it has been listed. */
  lastApproved(name: string): RemoteTool | undefined;
  /** Approves a definition; of one whose hash alone is known from an earlier run, it stores the definition. */
  approve(tool: RemoteTool): void;
  addPending(tool: RemoteTool): void;
  removePending(tool: RemoteTool): void;
}

export function createDefinitionApprovals(pins: ServerPins = {}): DefinitionApprovals {
  const approved = new Map<string, string>(Object.entries(pins));
  const definitions = new Map<string, RemoteTool>();
  const pending = new Map<string, string>();
  return {
    entries: () => [...approved],
    has: (name) => approved.has(name),
    isApproved: ({ name, hash }) => approved.get(name) === hash,
    isPending: ({ name, hash }) => pending.get(name) === hash,
    lastApproved: (name) => definitions.get(name),
    approve: (tool) => {
      approved.set(tool.name, tool.hash);
      definitions.set(tool.name, tool);
    },
    addPending: ({ name, hash }) => void pending.set(name, hash),
    removePending: ({ name }) => void pending.delete(name),
  };
}
