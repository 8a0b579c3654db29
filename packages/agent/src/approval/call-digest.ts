import { canonicalJson } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';

/**
 * Returns a digest of what is decided on (SHA-256, in hex): the name, description, schema and effect of the tool, and the text of the
 * arguments, byte for byte.
 *
 * `node:crypto` is loaded at the first use: importing it costs more than the rest of this package.
 */
export function callDigest(tool: Tool, text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', canonicalJson([definitionOf(tool), text]));
}

/** Returns a digest of a tool's name, description, schema and effect. */
export function toolDigest(tool: Tool): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', canonicalJson(definitionOf(tool)));
}

/** Returns a digest of JSON data. */
export function textDigest(value: unknown): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', canonicalJson(value));
}

function definitionOf({ name, title, description, effect = 'external', parameters, outputSchema }: Tool): unknown {
  return [name, title, description, effect, parameters, outputSchema];
}
