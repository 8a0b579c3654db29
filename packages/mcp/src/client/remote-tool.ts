import { createHash } from 'node:crypto';
import type { Tool, ToolEffect, ToolMetadata, ToolOptionality } from '@kernel/protocol';
import type { Tool as Listing } from '@modelcontextprotocol/client';

/** A tool as a server offers it and as it is listed here. */
export interface RemoteTool {
  /** The name on the server. */
  readonly name: string;
  /** Frozen; the same object as long as the definition is the same. */
  readonly tool: Tool;
  /** SHA-256 of the definition without its place here, in hex. */
  readonly hash: string;
}

/** Makes the tool that stands for a server's, named `mounted` here: schemas whole, effect from the annotations, metadata from `_meta`. */
export function toRemoteTool(listing: Listing, mounted: string): RemoteTool {
  const title = listing.title ?? listing.annotations?.title;
  const metadata = toMetadata(listing['_meta']);
  const definition = {
    description: listing.description ?? '',
    parameters: listing.inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(listing.outputSchema === undefined ? {} : { outputSchema: listing.outputSchema }),
    effect: toEffect(listing.annotations),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const tool: Tool = freeze(structuredClone({ name: mounted, ...definition }));
  return { name: listing.name, tool, hash: createHash('sha256').update(sortedJson(definition)).digest('hex') };
}

/** A hint counts only when the server gives it; of two, the one with the graver effect. Without any, the effect is `external`. */
function toEffect(hints: Listing['annotations']): ToolEffect {
  if (hints?.readOnlyHint === true) return 'read';
  if (hints?.destructiveHint === true) return 'write';
  return hints?.idempotentHint === true ? 'idempotent' : 'external';
}

function toMetadata(meta: { readonly [key: string]: unknown } | undefined): ToolMetadata | undefined {
  const { category, optionality, usageHint } = meta ?? {};
  const metadata = {
    ...(typeof category === 'string' ? { category } : {}),
    ...(isOptionality(optionality) ? { optionality } : {}),
    ...(typeof usageHint === 'string' ? { usageHint } : {}),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function isOptionality(value: unknown): value is ToolOptionality {
  return value === 'required' || value === 'optional' || value === 'conditional';
}

/** JSON with sorted keys: servers that write the same definition in another order have changed nothing. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
