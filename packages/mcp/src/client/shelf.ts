import type { Tool } from '@kernel/protocol';
import type { Tool as Listing } from '@modelcontextprotocol/client';
import { isTooDeep } from './json.ts';
import { type RemoteTool, sortedJson, toRemoteTool } from './remote-tool.ts';

/** What changed in a server's tools since they were approved. Told before anything of it is used. */
export interface McpToolsChange {
  readonly type: 'tools-changed';
  readonly server: string;
  /** Tools that were not there. */
  readonly added: readonly Tool[];
  /** Names, as on the server, of tools that are gone. They are out of the list whatever the answer is. */
  readonly removed: readonly string[];
  readonly changed: readonly McpToolChange[];
}

/** One tool whose definition is another than the approved one. */
export interface McpToolChange {
  /** The name on the server. */
  readonly name: string;
  /** The fields that differ; empty where only the hash of the approved definition is known. */
  readonly fields: readonly (keyof Tool)[];
  /** What was approved last, whatever was refused since. Absent where only its hash is known. */
  readonly before?: Tool;
  readonly after: Tool;
}

/** Hashes of approved definitions, by server and by name on the server. Plain data, to be saved. */
export interface McpPins {
  readonly [server: string]: { readonly [tool: string]: string };
}

/** Decides on a change: true takes it over, false keeps what was added or changed out of the list. A rejection counts as false. */
export type ApproveTools = (change: McpToolsChange) => boolean | Promise<boolean>;

/** The tools of one server that are on offer. */
export interface Shelf {
  /**
   * Takes over what a server lists now; resolves when what has to be decided about it is decided. What was approved stays or comes back at
   * once; what is new or changed is kept out until it is approved.
   */
  take(listings: readonly Listing[]): Promise<void>;
  tools(): readonly Tool[];
  /** The tool of this name here, if it is on offer. */
  find(mounted: string): RemoteTool | undefined;
  /** Whether a tool of this name is there and kept out. */
  isHeld(mounted: string): boolean;
  /** What is approved, of all that the server has; what was given as long as it has not listed any. */
  pins(): { readonly [tool: string]: string };
}

/** What a shelf is made with. */
export interface ShelfOptions {
  readonly server: string;
  /** The name here of a tool there; the same at each call. */
  readonly nameOf: (tool: string) => string;
  /** Hashes from before; absent means that the first listing is approved. */
  readonly pins: { readonly [tool: string]: string } | undefined;
  readonly approve: ApproveTools | undefined;
  /** Told after `tools()` has changed. */
  readonly onChanged: () => void;
}

/** Creates the shelf of a server. */
export function createShelf({ server, nameOf, pins, approve, onChanged }: ShelfOptions): Shelf {
  const approved = new Map<string, string>(Object.entries(pins ?? {}));
  /** The approved definitions, of those that have been listed. */
  const trusted = new Map<string, RemoteTool>();
  /** Definitions that were asked about and not approved. */
  const asked = new Map<string, string>();
  let known = new Map<string, RemoteTool>();
  let offered = new Map<string, RemoteTool>();
  let isFirst = true;

  const publish = (): void => {
    for (const each of known.values()) if (approved.get(each.name) === each.hash) trusted.set(each.name, each);
    const next = new Map([...known].filter(([, { name, hash }]) => approved.get(name) === hash));
    const isSame =
      next.size === offered.size && [...next.values()].every((each, index) => each === [...offered.values()][index]);
    if (isSame) return;
    offered = next;
    onChanged();
  };
  const decide = async (change: McpToolsChange): Promise<boolean> => {
    if (approve === undefined) return pins === undefined;
    try {
      return await approve(change);
    } catch {
      return false;
    }
  };

  return {
    async take(listings) {
      const before = known;
      const byName = new Map([...before.values()].map((each) => [each.name, each]));
      known = new Map();
      for (const listing of listings) {
        const mounted = nameOf(listing.name);
        if (isTooDeep(listing) || known.has(mounted)) continue;
        const made = toRemoteTool(listing, mounted);
        const old = byName.get(listing.name);
        known.set(mounted, old?.hash === made.hash ? old : made);
      }
      const all = [...known.values()];
      const removed = (isFirst ? [...approved.keys()] : [...byName.keys()]).filter((name) => !known.has(nameOf(name)));
      const fresh = all.filter(({ name, hash }) => approved.get(name) !== hash && asked.get(name) !== hash);
      const isTrusted = isFirst && pins === undefined;
      isFirst = false;
      if (isTrusted || (approve === undefined && pins === undefined))
        for (const { name, hash } of fresh) approved.set(name, hash);
      else for (const { name, hash } of fresh) asked.set(name, hash);
      publish();
      if (isTrusted || fresh.length + removed.length === 0) return;
      const isOk = await decide({
        type: 'tools-changed',
        server,
        added: fresh.filter(({ name }) => !approved.has(name)).map(({ tool }) => tool),
        removed,
        changed: fresh.filter(({ name }) => approved.has(name)).map((each) => difference(each, trusted.get(each.name))),
      });
      if (!isOk) return;
      for (const each of fresh) {
        const { name, hash } = each;
        if (asked.get(name) !== hash) continue; // it has changed once more meanwhile, and that is asked about on its own
        asked.delete(name);
        // Meanwhile the server may have come back to what is approved: that stays, and the change is asked about when it comes again.
        const present = known.get(nameOf(name))?.hash;
        if (present !== undefined && present !== hash) continue;
        approved.set(name, hash);
        trusted.set(name, each);
      }
      publish();
    },
    tools: () => [...offered.values()].map(({ tool }) => tool),
    find: (mounted) => offered.get(mounted),
    isHeld: (mounted) => known.has(mounted) && !offered.has(mounted),
    pins: () => Object.fromEntries([...approved].filter(([name]) => isFirst || known.has(nameOf(name)))),
  };
}

const FIELDS = ['title', 'description', 'parameters', 'outputSchema', 'effect', 'metadata'] as const;

function difference({ name, tool }: RemoteTool, old: RemoteTool | undefined): McpToolChange {
  if (old === undefined) return { name, fields: [], after: tool };
  const fields = FIELDS.filter((field) => sortedJson(old.tool[field] ?? null) !== sortedJson(tool[field] ?? null));
  return { name, fields, before: old.tool, after: tool };
}
