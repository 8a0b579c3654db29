import type { JsonSchema, Tool } from '@kernel/protocol';
import { strictGap } from '../dialects/strict.ts';

/** A tool as the chat-completions wire of OpenAI and its look-alikes writes it. */
export interface EncodedFunction {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** The tool's own schema object. */
    readonly parameters: JsonSchema;
    readonly strict: boolean;
  };
}

const definitions = new WeakMap<Tool, EncodedFunction>();

/**
 * Returns a tool's function definition: the same object for the same tool, picked field by field, so that nothing else of
 * the tool reaches a wire. `strict` is true only when the tool asks for it and its schema qualifies.
 */
export function encodeFunction(tool: Tool): EncodedFunction {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const definition: EncodedFunction = Object.freeze({
    type: 'function',
    function: Object.freeze({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      strict: tool.strict === true && strictGap(tool.parameters) === undefined,
    }),
  });
  definitions.set(tool, definition);
  return definition;
}
