import type { JsonSchema, Tool } from '@kernel/protocol';
import { strictGap } from '../schema-dialects/strict.ts';

/** A tool in the JSON form of chat completions: the form in which models learn about functions. */
export interface EncodedFunction {
  /** Always `function`. */
  readonly type: 'function';
  /** The fields of the tool that a model sees. */
  readonly function: {
    /** The tool's name. */
    readonly name: string;
    /** The tool's description. */
    readonly description: string;
    /** The tool's own schema object. */
    readonly parameters: JsonSchema;
    /** Whether the tool asks for strict mode and its schema qualifies. */
    readonly strict: boolean;
  };
}

const cache = new WeakMap<Tool, EncodedFunction>();

/**
 * Encodes a tool, the same object for the same tool. Its fields are picked one by one, so that nothing else of a tool reaches a prompt.
 * `strict` is true only if the tool asks for it and its schema qualifies.
 *
 * @example
 * ```ts
 * import { encodeFunction } from '@kernel/providers/compat';
 *
 * const encoded = encodeFunction({ name: 'clock', description: 'Tells the time.', parameters: { type: 'object' } });
 * ```
 */
export function encodeFunction(tool: Tool): EncodedFunction {
  const cached = cache.get(tool);
  if (cached !== undefined) return cached;
  const encoded: EncodedFunction = Object.freeze({
    type: 'function',
    function: Object.freeze({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      strict: tool.strict === true && strictGap(tool.parameters) === undefined,
    }),
  });
  cache.set(tool, encoded);
  return encoded;
}
