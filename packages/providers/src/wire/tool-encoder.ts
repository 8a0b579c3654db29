import { toJsonText } from '@kernel/internal';
import {
  findJsonLoss,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ProviderWarning,
  type Tool,
} from '@kernel/protocol';
import type { Dialect } from '../schema-dialects/dialects.ts';
import { chooseSchema } from '../schema-dialects/lint.ts';
import { NO_SERVER_TOOLS, type ServerTools } from '../config/server-tools.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { parseJson } from '../json-fields.ts';
import { toWireName } from './names.ts';
import type { NameCheck } from './server-tools/check-names.ts';

/** What a wire says about a tool besides its description. @internal */
interface EncodedForm {
  /** The name on the wire. */
  readonly name: string;
  /** The schema in the wire's dialect. */
  readonly schema: JsonSchema;
  /** Whether strict mode applies. */
  readonly strict: boolean;
  /** Whether the model finds the tool through a search, and does not see it at first. */
  readonly isDeferred: boolean;
}

/** Maps the calls of a reply back to the tools of its request. @internal */
export interface ToolDecoder {
  /** The tool's own name. */
  toolName(wireName: string): string;
  /** Argument text that follows the tool's own schema; text that is not valid JSON, or that `JSON.parse` would change, is returned as it is. */
  restoreArguments(name: string, text: string): string;
  /** Whether the request has a tool by this name on the wire: whatever calls it is a call of that tool, unless the vendor ran it. */
  offers(this: void, wireName: string): boolean;
  /**
   * The request's client tools, which run here and which the model calls in the form that it was trained on, by name: the definition of each, or
   * undefined for one that the request does not list. Absent: none.
   */
  readonly clientTools?: ReadonlyMap<string, JsonObject | undefined>;
}

/** An encoded list of tools. @internal */
export interface EncodedTools {
  /** The list at the time of encoding. */
  readonly tools: readonly Tool[];
  /** One JSON text per tool, in order. */
  readonly texts: readonly string[];
  /** The JSON array of all texts as bytes; built once. */
  readonly bytes: () => Uint8Array;
  /** What the wire cannot express. */
  readonly warnings: readonly ProviderWarning[];
  /** The way back. */
  readonly toolDecoder: ToolDecoder;
}

/** How a wire encodes its tools. @internal */
export interface ToolEncoderOptions {
  /** The names that the vendor accepts. */
  readonly names: RegExp;
  /** The vendor's dialect of JSON Schema. */
  readonly dialect: Dialect;
  /** The dialect of strict mode. Absent: the wire has no strict mode. */
  readonly strict?: Dialect | undefined;
  /** Returns the tool as the vendor's JSON. */
  readonly encode: (tool: Tool, form: EncodedForm) => unknown;
  /** The vendor's own tools, which every request offers. */
  readonly serverTools?: ServerTools | undefined;
  /** Returns the name of the client tool that a server tool's definition describes; undefined for a tool that the vendor runs. */
  readonly clientToolName?: (definition: JsonObject) => string | undefined;
  /** The names of tools that the vendor calls although the request does not list them. */
  readonly unsentTools?: ReadonlySet<string> | undefined;
  /** Refuses a tool with the name of one that the vendor runs. */
  readonly checkName?: NameCheck | undefined;
}

/** The decoder of a request without tools. @internal */
export const IDENTITY_TOOL_DECODER: ToolDecoder = {
  toolName: (name) => name,
  offers: () => false,
  restoreArguments: (_, text) => text,
};

const NO_TOOLS: readonly Tool[] = Object.freeze([]);

/** Creates an encoder that encodes each list once, by identity, as long as it holds the same tools. @internal */
export function createToolEncoder(
  options: ToolEncoderOptions,
): (tools: readonly Tool[] | undefined) => EncodedTools | undefined {
  const cache = new WeakMap<readonly Tool[], EncodedTools>();
  const hasServerTools = (options.serverTools?.definitions.length ?? 0) > 0;
  return (tools = NO_TOOLS) => {
    if (tools.length === 0 && !hasServerTools) return undefined;
    const cached = cache.get(tools);
    if (cached !== undefined && hasSameTools(cached.tools, tools)) return cached;
    const encoded = encodeTools(tools, options);
    cache.set(tools, encoded);
    return encoded;
  };
}

function encodeTools(
  tools: readonly Tool[],
  {
    checkName,
    dialect,
    encode,
    names,
    clientToolName = () => undefined,
    serverTools = NO_SERVER_TOOLS,
    strict,
    unsentTools,
  }: ToolEncoderOptions,
): EncodedTools {
  const definitions = new Map(serverTools.definitions.map((definition) => [clientToolName(definition), definition]));
  const clientTools = new Map<string, JsonObject | undefined>();
  const offered = new Set<string>();
  const warnings: ProviderWarning[] = [];
  const toolNames = new Map<string, string>();
  const restorers = new Map<string, (args: JsonValue) => JsonValue>();
  const ownTexts = tools.flatMap((tool): readonly string[] => {
    const definition = definitions.get(tool.name);
    const isUnsent = unsentTools?.has(tool.name) === true;
    if (definition !== undefined || isUnsent) {
      clientTools.set(tool.name, definition);
      offered.add(tool.name);
      return isUnsent ? [] : [toJsonText(definition)];
    }
    const chosen = chooseSchema(tool, dialect, strict);
    const name = toWireName(tool.name, names);
    checkName?.(tool, name);
    offered.add(name);
    if (name !== tool.name) toolNames.set(name, tool.name);
    if (chosen.strict) restorers.set(tool.name, (args) => chosen.restore(args));
    warnings.push(...chosen.warnings);
    const isDeferred = serverTools.isDeferred(tool.name);
    return [toJsonText(encode(tool, { name, schema: chosen.schema, strict: chosen.strict, isDeferred }))];
  });
  const others = serverTools.definitions.filter((definition) => !clientTools.has(clientToolName(definition) ?? ''));
  const texts = [...ownTexts, ...others.map((definition) => toJsonText(definition))];
  const toolDecoder: ToolDecoder = {
    toolName: (name) => toolNames.get(name) ?? name,
    offers: (name) => offered.has(name),
    ...(clientTools.size > 0 && { clientTools }),
    restoreArguments(name, text) {
      const restore = restorers.get(name);
      // JSON.parse returned it, so it is JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const args = restore === undefined ? undefined : (parseJson(text) as JsonValue | undefined);
      // Text that JSON.parse changes is not rewritten: the result would look exact.
      if (args === undefined || restore === undefined || findJsonLoss(text, args, true) !== undefined) return text;
      return JSON.stringify(restore(args));
    },
  };
  let bytes: Uint8Array | undefined;
  return {
    tools: [...tools],
    texts,
    bytes: () => (bytes ??= joinBytes([`[${texts.join(',')}]`])),
    warnings,
    toolDecoder,
  };
}

function hasSameTools(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}
