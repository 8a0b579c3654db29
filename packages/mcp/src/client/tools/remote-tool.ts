import { canonicalJson, definedFields, isObject, sha256Hex, visibleText } from '@kernel/internal';
import { mountedName, type Tool, type ToolEffect, type ToolMetadata, type ToolOptionality } from '@kernel/protocol';
import type { Tool as ListedTool } from '@modelcontextprotocol/client';
import { KEYWORDS_OF_DATA, KEYWORDS_OF_NAMES, repairInputSchema, repairSchema } from './repair-schema.ts';

export interface RemoteTool {
  readonly name: string;
  /** The tool as it is offered, under its mounted name. Frozen, and the same object as long as the definition is the same. */
  readonly tool: Tool;
  /** SHA-256 of the definition, without names, in hex. */
  readonly hash: string;
  readonly app: ToolApp;
}

/**
 * Converts an entry of `tools/list`: schemas as they are where they are sound, the effect from the annotations,
 * metadata from `_meta`. Hints that make a tool seem harmless count only if the user trusts the hints of the server. In
 * texts for a reader, what hides is written out (`\u200b`); the hash is that of the definition as the server wrote it.
 */
export function toRemoteTool(listed: ListedTool, offeredName: string, trustsHints = false): RemoteTool {
  const { annotations = {}, description = '', inputSchema: parameters, outputSchema } = listed;
  const title = listed.title ?? annotations.title;
  const metadata = toMetadata(listed['_meta']);
  const app = readToolApp(listed['_meta']);
  const definition = definedFields({ description, parameters, title, outputSchema, metadata });
  const shown = definedFields({
    description: visibleText(description),
    parameters: visibleSchema(repairInputSchema(parameters)),
    title: title && visibleText(title),
    outputSchema: outputSchema && visibleSchema(repairSchema(outputSchema)),
    metadata: toMetadata(listed['_meta'], visibleText),
    effect: toEffect(annotations, trustsHints),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the characters of texts have changed
  const tool = deepFreeze(structuredClone({ name: offeredName, ...shown })) as Tool;
  // The hints, not what is made of them: trusting a server is no change of its tools.
  const hashed = { ...definition, hints: annotations, ...(app === NO_APP ? {} : { app }) };
  // Canonical: a server that lists the same definition in another order has changed nothing.
  return { name: listed.name, tool, hash: sha256Hex(canonicalJson(hashed)), app };
}

/**
 * The effect that the server declares: of hints that contradict each other the more dangerous counts, and without hints it is `external`. `read` and
 * `idempotent`, which lower what is asked and repeated, need the user's trust. By the specification a client must not rely on the hints of a server
 * that is not trusted.
 */
function toEffect(hints: NonNullable<ListedTool['annotations']>, trustsHints: boolean): ToolEffect {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = hints;
  if (openWorldHint === true) return 'external';
  if (destructiveHint === true) return 'write';
  if (!trustsHints) return 'external';
  if (readOnlyHint === true) return 'read';
  return idempotentHint === true && destructiveHint === false ? 'idempotent' : 'external';
}

const OPTIONALITIES: readonly ToolOptionality[] = ['required', 'optional', 'conditional'];

function toMetadata(
  meta: { readonly [key: string]: unknown } = {},
  show = (text: string): string => text,
): ToolMetadata | undefined {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? show(value) : undefined);
  const metadata = definedFields({
    category: text(meta['category']),
    optionality: OPTIONALITIES.find((each) => each === meta['optionality']),
    usageHint: text(meta['usageHint']),
  });
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

type NameTool = (server: string, tool: string) => string;

/**
 * Creates a function that names each tool of each server: `mcp__server__tool`, as Claude Code does. No tool of another origin begins with `mcp__`, and the name of
 * the server ends at the first `__` after it: what is said of a name, such as a rule, is said of one server. The same tool always has the same name.
 */
export function createToolNames(): NameTool {
  const used = new Set<string>();
  const names = new Map<string, string>();
  return (server, tool) => {
    const key = JSON.stringify([server, tool]);
    let name = names.get(key);
    if (name === undefined) {
      name = mountedName(`mcp__${serverName(server)}_`, tool, used);
      used.add(name);
      names.set(key, name);
    }
    return name;
  };
}

/** The name of a server within those of its tools: as it is if no other server can have it, else with a hash. */
function serverName(server: string): string {
  if (/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(server)) return server;
  const hash = sha256Hex(server).slice(0, 8);
  return `${server.replaceAll(/[^A-Za-z0-9-]+/g, '_').replaceAll(/^_|_$/g, '')}_${hash}`;
}

const TEXTS: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

/** A copy of a schema with visible texts. Keywords inside `enum`, `const`, `default` and `examples` are data and stay as they are. */
export function visibleSchema(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => visibleSchema(item));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (isMap) return [key, visibleSchema(value)];
      if (TEXTS.has(key) && typeof value === 'string') return [key, visibleText(value)];
      if (KEYWORDS_OF_DATA.has(key)) return [key, value];
      return [key, visibleSchema(value, KEYWORDS_OF_NAMES.has(key))];
    }),
  );
}

/** The extension for apps, in the capabilities of both sides. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** What a tool says of apps, in `_meta.ui`. */
export interface ToolApp {
  /** The address of the page that shows its results. */
  readonly uri?: string;
  readonly isForModel: boolean;
  readonly isForApps: boolean;
}

/** A tool that says nothing of apps: models may call it, and apps of its server, too. */
const NO_APP: ToolApp = Object.freeze({ isForModel: true, isForApps: true });

const MAX_URI = 2000;

function readToolApp(meta: { readonly [key: string]: unknown } | undefined): ToolApp {
  const ui = isObject(meta?.['ui']) ? meta['ui'] : {};
  // The second one is how the address was written before.
  const uri = [ui['resourceUri'], meta?.['ui/resourceUri']].find(isAppUri);
  const { visibility } = ui;
  if (uri === undefined && !Array.isArray(visibility)) return NO_APP;
  const isFor = (whom: string): boolean => !Array.isArray(visibility) || visibility.includes(whom);
  return { ...(uri === undefined ? {} : { uri }), isForModel: isFor('model'), isForApps: isFor('app') };
}

function isAppUri(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('ui://') && value.length <= MAX_URI;
}
