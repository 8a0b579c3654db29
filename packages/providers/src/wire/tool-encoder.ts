import { toJsonText } from '@kernel/internal';
import {
  findJsonLoss,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ProviderWarning,
  type Tool,
  type Message,
  toolCallsOf,
} from '@kernel/protocol';
import type { Dialect } from '../schema-dialects/dialects.ts';
import { type Renaming, type Renamings, renamed } from '../schema-dialects/property-names.ts';
import { chooseSchema, setAside } from '../schema-dialects/to-dialect.ts';
import type { VendorLimits } from '../vendor-rules/rules.ts';
import { limitsOf, limitWarnings } from '../vendor-rules/vendor-limits.ts';
import { NO_SERVER_TOOLS, type ServerTools } from '../config/server-tools.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { parseJson } from '../json-fields.ts';
import { toWireName } from './names.ts';
import type { NameCheck } from './server-tools/check-names.ts';

interface EncodedForm {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
  /** The model finds the tool through a search, and does not see it at first. */
  readonly isDeferred: boolean;
}

export interface ToolDecoder {
  toolName(wireName: string): string;
  /** Text that is not valid JSON, or that `JSON.parse` would change, is returned as it is. */
  restoreArguments(name: string, text: string): string;
  /** How the properties of a tool are named on the wire, if otherwise. */
  renaming(this: void, name: string): Renaming | undefined;
  /** Whether `text` begins the name of a tool on the wire, and `instead` is none: a name may arrive in pieces. */
  begins(this: void, text: string, instead: string): boolean;
  /** Looks the name on the wire up: what calls such a tool is a call of that tool, unless the vendor ran it. */
  offers(this: void, wireName: string): boolean;
  /** Client tools, which run here, by name; undefined for one that the request does not list. */
  readonly clientTools?: ReadonlyMap<string, JsonObject | undefined>;
}

export interface EncodedTools {
  /** The tools that were on offer when the request was encoded. */
  readonly tools: readonly Tool[];
  readonly limits: VendorLimits;
  readonly texts: readonly string[];
  readonly bytes: () => Uint8Array;
  readonly warnings: readonly ProviderWarning[];
  readonly toolDecoder: ToolDecoder;
}

export interface ToolEncoderOptions {
  readonly names: RegExp;
  readonly dialect: Dialect;
  readonly strict?: Dialect | undefined;
  readonly encode: (tool: Tool, form: EncodedForm) => unknown;
  readonly serverTools?: ServerTools | undefined;
  /** Returns undefined for a tool that the vendor runs. */
  readonly clientToolName?: (definition: JsonObject) => string | undefined;
  /** Tools that the vendor calls although the request does not list them. */
  readonly unsentTools?: ReadonlySet<string> | undefined;
  readonly checkName?: NameCheck | undefined;
  /** The provider's name, for its rules. */
  readonly vendor?: string;
  /** Filled with the tools whose properties have other names on the wire. */
  readonly renamings?: Renamings;
}

export const IDENTITY_TOOL_DECODER: ToolDecoder = {
  toolName: (name) => name,
  renaming: () => undefined,
  begins: () => false,
  offers: () => false,
  restoreArguments: (_, text) => text,
};

const NO_TOOLS: readonly Tool[] = Object.freeze([]);

/** Each list is encoded once, by identity, as long as it holds the same tools. */
export function createToolEncoder(
  options: ToolEncoderOptions,
): (tools: readonly Tool[] | undefined, model?: string) => EncodedTools | undefined {
  const cache = new WeakMap<readonly Tool[], EncodedTools>();
  const hasServerTools = (options.serverTools?.definitions.length ?? 0) > 0;
  return (tools = NO_TOOLS, model = '') => {
    if (tools.length === 0 && !hasServerTools) return undefined;
    const cached = cache.get(tools);
    const limits = limitsOf(options.vendor ?? '', model);
    if (cached !== undefined && cached.limits === limits && hasSameTools(cached.tools, tools)) return cached;
    const encoded = encodeTools(tools, options, limits);
    cache.set(tools, encoded);
    return encoded;
  };
}

function encodeTools(tools: readonly Tool[], options: ToolEncoderOptions, limits: VendorLimits): EncodedTools {
  const { clientToolName = () => undefined, renamings, serverTools = NO_SERVER_TOOLS, vendor = '' } = options;
  const definitions = new Map(serverTools.definitions.map((definition) => [clientToolName(definition), definition]));
  const clientTools = new Map<string, JsonObject | undefined>();
  const offered = new Set<string>();
  const warnings: ProviderWarning[] = [];
  const toolNames = new Map<string, string>();
  const restorers = new Map<string, (args: JsonValue) => JsonValue>();
  const ownTexts = tools.flatMap((tool): readonly string[] => {
    const definition = definitions.get(tool.name);
    const isUnsent = options.unsentTools?.has(tool.name) === true;
    if (definition !== undefined || isUnsent) {
      clientTools.set(tool.name, definition);
      offered.add(tool.name);
      return isUnsent ? [] : [toJsonText(definition)];
    }
    const renaming =
      limits.propertyNames === undefined || renamings === undefined ? undefined : renamed(tool, limits.propertyNames);
    if (renaming !== undefined) renamings?.set(tool.name, renaming);
    let chosen: ReturnType<typeof chooseSchema>;
    try {
      chosen = chooseSchema(renaming?.tool ?? tool, options.dialect, options.strict);
    } catch (error) {
      // Without another tool there is nothing to save.
      if (tools.length === 1) throw error;
      warnings.push(setAside(tool, error));
      return [];
    }
    const name = toWireName(tool.name, options.names);
    options.checkName?.(tool, name);
    offered.add(name);
    if (name !== tool.name) toolNames.set(name, tool.name);
    if (chosen.strict) restorers.set(tool.name, (args) => chosen.restore(args));
    warnings.push(...chosen.warnings, ...limitWarnings(tool, vendor, limits));
    const isDeferred = serverTools.isDeferred(tool.name);
    return [toJsonText(options.encode(tool, { name, schema: chosen.schema, strict: chosen.strict, isDeferred }))];
  });
  const others = serverTools.definitions.filter((definition) => !clientTools.has(clientToolName(definition) ?? ''));
  if (limits.tools !== undefined && ownTexts.length > limits.tools)
    warnings.push({ message: `${vendor} refuses ${ownTexts.length} tools: ${limits.tools} are allowed` });
  const texts = [...ownTexts, ...others.map((definition) => toJsonText(definition))];
  const toolDecoder: ToolDecoder = {
    toolName: (name) => toolNames.get(name) ?? name,
    begins: (text, instead) => !offered.has(instead) && [...offered].some((name) => name.startsWith(text)),
    offers: (name) => offered.has(name),
    ...(clientTools.size > 0 && { clientTools }),
    restoreArguments(name, text) {
      return renamings?.get(name)?.fromWire(restored(name, text)) ?? restored(name, text);
    },
    renaming: (name) => renamings?.get(name),
  };
  function restored(name: string, text: string): string {
    const restore = restorers.get(name);
    // JSON.parse returned it, so it is JSON.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const args = restore === undefined ? undefined : (parseJson(text) as JsonValue | undefined);
    // Text that JSON.parse changes is not rewritten: the result would look exact.
    if (args === undefined || restore === undefined || findJsonLoss(text, args, true) !== undefined) return text;
    return JSON.stringify(restore(args));
  }
  let bytes: Uint8Array | undefined;
  return {
    tools: [...tools],
    limits,
    texts,
    bytes: () => (bytes ??= joinBytes([`[${texts.join(',')}]`])),
    warnings,
    toolDecoder,
  };
}

/** A list that is not frozen may have changed. */
function hasSameTools(encoded: readonly Tool[], tools: readonly Tool[]): boolean {
  if (Object.isFrozen(tools)) return true;
  return encoded.length === tools.length && encoded.every((tool, at) => tool === tools[at]);
}

/** Each wire has its own; the table in `docs/guides/server-tools.md` shows all of them. */
export interface CallTypes {
  readonly calls: readonly string[];
  /** Never a call, whatever its name is. `*_x` stands for every type that ends in `_x`. */
  readonly vendor: readonly string[];
}

/** It is a call if its type says so, or if its type is unknown and a tool of its name was on offer. */
export function isCall(
  { calls, vendor }: CallTypes,
  type: string,
  name: string | undefined,
  { offers }: ToolDecoder,
): boolean {
  if (calls.includes(type)) return true;
  if (vendor.some((known) => (known.startsWith('*') ? type.endsWith(known.slice(1)) : type === known))) return false;
  return name !== undefined && offers(name);
}

/** Some wires refuse calls in the history when the request has no tools. */
export function placeholderTools(messages: readonly Message[]): readonly Tool[] | undefined {
  const names = new Set(messages.flatMap((message) => toolCallsOf(message).map((call) => call.name)));
  if (names.size === 0) return undefined;
  const parameters = { type: 'object', properties: {} };
  return [...names].map((name) => ({ name, description: 'No longer offered.', parameters }));
}
