import type { JsonSchema, JsonValue, ProviderWarning, Tool } from '@kernel/protocol';
import type { Dialect } from '../dialects/dialects.ts';
import { chooseSchema } from '../dialects/lint.ts';
import { parseJson } from '../json-fields.ts';
import { toWireName } from './names.ts';

/** How a tool is called and described on a wire. @internal */
interface WireForm {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
}

/** The way back from a reply's calls to the tools of the request. @internal */
export interface ToolCodec {
  nameOf(wireName: string): string;
  /** Argument text that follows the tool's own schema; text that is no JSON stays as it is. */
  restore(name: string, argumentText: string): string;
}

/** A list of tools, written once. @internal */
export interface EncodedTools {
  readonly tools: readonly Tool[];
  /** One JSON text a tool, in order. */
  readonly texts: readonly string[];
  /** The JSON array of all, as bytes; made once. */
  readonly bytes: () => Uint8Array;
  readonly warnings: readonly ProviderWarning[];
  readonly codec: ToolCodec;
}

/** How a wire writes its tools. @internal */
export interface ToolWriterOptions {
  readonly names: RegExp;
  readonly dialect: Dialect;
  /** Absent: the wire has no strict mode. */
  readonly strict?: Dialect | undefined;
  readonly write: (tool: Tool, form: WireForm) => unknown;
}

const NO_TOOLS: ToolCodec = { nameOf: (name) => name, restore: (_, text) => text };

/** The codec of a request without tools. @internal */
export const PLAIN_CODEC: ToolCodec = NO_TOOLS;

/** Creates a writer that writes each list once, by identity, as long as it holds the same tools. @internal */
export function createToolWriter(
  options: ToolWriterOptions,
): (tools: readonly Tool[] | undefined) => EncodedTools | undefined {
  const lists = new WeakMap<readonly Tool[], EncodedTools>();
  return (tools) => {
    if (tools === undefined || tools.length === 0) return undefined;
    const known = lists.get(tools);
    if (known !== undefined && sameTools(known.tools, tools)) return known;
    const encoded = writeTools(tools, options);
    lists.set(tools, encoded);
    return encoded;
  };
}

function writeTools(tools: readonly Tool[], { dialect, names, strict, write }: ToolWriterOptions): EncodedTools {
  const warnings: ProviderWarning[] = [];
  const own = new Map<string, string>();
  const restorers = new Map<string, (args: JsonValue) => JsonValue>();
  const texts = tools.map((tool) => {
    const chosen = chooseSchema(tool, dialect, strict);
    const name = toWireName(tool.name, names);
    if (name !== tool.name) own.set(name, tool.name);
    if (chosen.strict) restorers.set(tool.name, (args) => chosen.restore(args));
    warnings.push(...chosen.warnings);
    return JSON.stringify(write(tool, { name, schema: chosen.schema, strict: chosen.strict }));
  });
  const codec: ToolCodec = {
    nameOf: (name) => own.get(name) ?? name,
    restore(name, text) {
      const restorer = restorers.get(name);
      // JSON.parse made it, so it is JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const args = restorer === undefined ? undefined : (parseJson(text) as JsonValue | undefined);
      return args === undefined || restorer === undefined ? text : JSON.stringify(restorer(args));
    },
  };
  let bytes: Uint8Array | undefined;
  return {
    tools: [...tools],
    texts,
    bytes: () => (bytes ??= Buffer.from(`[${texts.join(',')}]`)),
    warnings,
    codec,
  };
}

function sameTools(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}
