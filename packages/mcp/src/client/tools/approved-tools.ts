import { canonicalJson, isObject } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { findHeaderFault, readListedTool, type UnusableEntry } from './listed-tool.ts';
import { findSchemaFault, isTooDeep } from './output-check.ts';
import { repairInputSchema, repairSchema } from './repair-schema.ts';
import { type RemoteTool, type ToolApp, toRemoteTool } from './remote-tool.ts';

/** What changed in a server's tools since they were approved. Reported before any of it is used. */
export interface McpToolsChange {
  /** Distinguishes this from other events of a program. */
  readonly type: 'tools-changed';
  /** The name of the server in the config. */
  readonly server: string;
  /** New tools. */
  readonly added: readonly Tool[];
  /** The names, on the server, of tools that no longer exist. They are not on offer, whatever the decision is. */
  readonly removed: readonly string[];
  /** Tools whose definition differs from the approved one. */
  readonly changed: readonly McpToolChange[];
}

/** One tool whose definition differs from the approved one. */
export interface McpToolChange {
  /** The name on the server. */
  readonly name: string;
  /** The fields that differ; empty if only the hash of the approved definition is known. */
  readonly fields: readonly (keyof Tool)[];
  /** The definition that was approved last, even if others were refused since. Absent if only its hash is known. */
  readonly before?: Tool;
  /** The definition that needs a decision. */
  readonly after: Tool;
}

/** Decides on a change: `true` approves it; `false` or a rejection keeps added and changed tools off the list. */
export type ApproveTools = (change: McpToolsChange) => boolean | Promise<boolean>;

const FIELDS = ['title', 'description', 'parameters', 'outputSchema', 'effect', 'metadata'] as const;

function toToolChange({ name, tool }: RemoteTool, approved: RemoteTool | undefined): McpToolChange {
  if (approved === undefined) return { name, fields: [], after: tool };
  const before = approved.tool;
  const fields = FIELDS.filter((field) => canonicalJson(before[field] ?? null) !== canonicalJson(tool[field] ?? null));
  return { name, fields, before, after: tool };
}

/** Hashes of approved definitions, by the names of server and tool. Plain data, to be stored between runs. */
export interface McpPins {
  /** The hashes of one server. */
  readonly [server: string]: ServerPins;
}

interface ServerPins {
  /** SHA-256 of the definition, in hex. */
  readonly [tool: string]: string;
}

export type ApprovedTools = ReturnType<typeof createApprovedTools>;

interface ApprovedToolsOptions {
  readonly server: string;
  /** Returns the mounted name of a tool of the server; the same at each call. */
  readonly nameOf: (tool: string) => string;
  /** Hashes of an earlier run. Without them the first list is approved as it is. */
  readonly pins: ServerPins | undefined;
  /** Decides on changes. Without it changes are approved, unless there are `pins`. */
  readonly approve: ApproveTools | undefined;
  readonly trustsHints: boolean;
  /** Called for a tool that cannot be used, once for each reason. */
  readonly onFault: (mountedName: string, fault: string) => void;
  readonly onChanged: () => void;
}

export function createApprovedTools(options: ApprovedToolsOptions) {
  const { server, nameOf, pins, approve, onChanged, onFault } = options;
  // By the name on the server: the approved hashes, the approved definitions as far as they were listed, and the hashes
  // that wait for a decision or were refused.
  const approved = new Map(Object.entries(pins ?? {}));
  const definitions = new Map<string, RemoteTool>();
  const pending = new Map<string, string>();
  // By mounted name.
  let current: ReadonlyMap<string, RemoteTool> = new Map();
  let offered: ReadonlyMap<string, RemoteTool> = new Map();
  let faults: ReadonlyMap<string, string> = new Map();
  let isFirst = true;

  const isApproved = ({ name, hash }: RemoteTool): boolean => approved.get(name) === hash;
  const isKnown = ({ name }: RemoteTool): boolean => approved.has(name);
  const isPending = ({ name, hash }: RemoteTool): boolean => pending.get(name) === hash;

  function publish(): void {
    const next = new Map([...current].filter(([, tool]) => isApproved(tool)));
    for (const tool of next.values()) definitions.set(tool.name, tool);
    const before = [...offered.values()];
    if (next.size === before.length && [...next.values()].every((tool, index) => tool === before[index])) return;
    offered = next;
    onChanged();
  }

  async function isAccepted(unapproved: readonly RemoteTool[], removed: readonly string[]): Promise<boolean> {
    if (approve === undefined) return false;
    const change: McpToolsChange = {
      type: 'tools-changed',
      server,
      added: unapproved.filter((tool) => !isKnown(tool)).map(({ tool }) => tool),
      removed,
      changed: unapproved.filter(isKnown).map((tool) => toToolChange(tool, definitions.get(tool.name))),
    };
    try {
      return await approve(change);
    } catch {
      return false;
    }
  }

  /** Approves a definition that was accepted, unless the server has changed it again since. */
  function accept(tool: RemoteTool): void {
    // If it is no longer pending, a newer definition is, and has a decision of its own.
    if (!isPending(tool)) return;
    pending.delete(tool.name);
    // The server may have returned to the approved definition: that stays, and this one is asked about when it comes again.
    const now = current.get(nameOf(tool.name));
    if (now !== undefined && now.hash !== tool.hash) return;
    approved.set(tool.name, tool.hash);
    definitions.set(tool.name, tool);
  }

  return {
    /**
     * Replaces the server's tools by the entries that it lists now; resolves once every decision about it has been made. Approved definitions are on offer
     * at once; new and changed ones are quarantined until they are approved. With `sendsHeaders`, what is to be sent as HTTP headers is checked.
     */
    async update(listed: readonly unknown[], sendsHeaders = false): Promise<void> {
      const previous = [...current.values()].map(({ name }) => name);
      const { tools, faults: found } = toRemoteTools(listed, options, current, sendsHeaders);
      for (const [name, fault] of found) if (faults.get(name) !== fault) onFault(name, fault);
      current = tools;
      faults = found;
      const before = isFirst ? [...approved.keys()] : previous;
      const removed = before.filter((name) => !current.has(nameOf(name)));
      const unapproved = [...current.values()].filter((tool) => !isApproved(tool) && !isPending(tool));
      const isInitial = isFirst && pins === undefined;
      const isTrusted = isInitial || (pins === undefined && approve === undefined);
      isFirst = false;
      for (const { name, hash } of unapproved) (isTrusted ? approved : pending).set(name, hash);
      publish();
      if (isInitial || unapproved.length + removed.length === 0) return;
      if (!(await isAccepted(unapproved, removed))) return;
      for (const tool of unapproved) accept(tool);
      publish();
    },
    ...viewOf(
      () => offered,
      ({ isForModel }) => isForModel,
    ),
    /** What apps of the server may call. */
    forApps: viewOf(
      () => offered,
      ({ isForApps }) => isForApps,
    ),
    has: (mountedName: string): boolean => current.has(mountedName) || faults.has(mountedName),
    /** Why a tool of this mounted name cannot be used, whatever is approved; undefined for any other. */
    faultOf: (mountedName: string): string | undefined => faults.get(mountedName),
    /** Whether the server has a tool of this mounted name that is not approved. */
    isQuarantined: (mountedName: string): boolean => current.has(mountedName) && !offered.has(mountedName),
    /** Hashes of the approved definitions of the tools that the server has; before its first list, those of the earlier run. */
    pins: (): ServerPins => Object.fromEntries([...approved].filter(([name]) => isFirst || current.has(nameOf(name)))),
  };
}

/** The tools on offer to those whom a tool names. */
function viewOf(offered: () => ReadonlyMap<string, RemoteTool>, isFor: (app: ToolApp) => boolean) {
  return {
    remoteTools: (): readonly RemoteTool[] => [...offered().values()].filter(({ app }) => isFor(app)),
    tools: (): readonly Tool[] => [...offered().values()].filter(({ app }) => isFor(app)).map(({ tool }) => tool),
    find(mountedName: string): RemoteTool | undefined {
      const found = offered().get(mountedName);
      return found !== undefined && isFor(found.app) ? found : undefined;
    },
  };
}

/** The tools of a list by mounted name, and those that cannot be used; an unchanged definition keeps its object. */
function toRemoteTools(
  listed: readonly unknown[],
  { nameOf, trustsHints }: ApprovedToolsOptions,
  previous: ReadonlyMap<string, RemoteTool>,
  sendsHeaders: boolean,
): { readonly tools: ReadonlyMap<string, RemoteTool>; readonly faults: ReadonlyMap<string, string> } {
  const tools = new Map<string, RemoteTool>();
  const faults = new Map<string, string>();
  for (const [index, entry] of listed.entries()) {
    const each = readListedTool(entry);
    const mountedName = each.name === undefined ? `tools[${index}]` : nameOf(each.name);
    if (tools.has(mountedName) || faults.has(mountedName)) continue;
    const fault = faultOf(each, sendsHeaders);
    if (fault !== undefined) faults.set(mountedName, fault);
    if (fault !== undefined || 'fault' in each) continue;
    const tool = toRemoteTool(each, mountedName, trustsHints);
    const known = previous.get(mountedName);
    tools.set(mountedName, known?.hash === tool.hash ? known : tool);
  }
  return { tools, faults };
}

function faultOf(listed: ListedTool | UnusableEntry, sendsHeaders: boolean): string | undefined {
  if ('fault' in listed) return listed.fault;
  if (isTooDeep(listed)) return 'its definition is nested too deeply';
  const { outputSchema } = listed;
  const inputSchema = repairInputSchema(listed.inputSchema);
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object') return 'its inputSchema has not the type "object"';
  const output = outputSchema && repairSchema(outputSchema);
  const fault =
    findSchemaFault(inputSchema, 'its inputSchema') ??
    (isObject(output) ? findSchemaFault(output, 'its output schema') : undefined);
  return fault ?? (sendsHeaders ? findHeaderFault(inputSchema) : undefined);
}
