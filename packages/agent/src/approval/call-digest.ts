import { canonicalJson, sha256Hex } from '@kernel/internal';
import type { Tool, ToolCall } from '@kernel/protocol';
import { canonicalArguments } from '../limits/canonical-arguments.ts';

/**
 * Returns the SHA-256 digest in hex of what is decided on: the tool's name, description, schema and effect, and in
 * canonical form the arguments as shown and as the model gave them. JSON may not tell two values of a schema apart.
 *
 * `node:crypto` is loaded at the first use: importing it costs more than the rest of this package.
 */
export function callDigest(tool: Tool, text: string, call: ToolCall): string {
  return textDigest([definitionOf(tool), canonicalArguments(text), canonicalArguments(call.arguments)]);
}

/** Returns a short digest of the tool's name and the arguments of a call: equal for arguments that mean the same. */
export function argumentsDigest(call: ToolCall): string {
  return textDigest([call.name, canonicalArguments(call.arguments)]).slice(0, 16);
}

export function toolDigest(tool: Tool): string {
  return textDigest(definitionOf(tool));
}

export function textDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

function definitionOf({ name, title, description, effect = 'external', parameters, outputSchema }: Tool): unknown {
  return [name, title, description, effect, parameters, outputSchema];
}
