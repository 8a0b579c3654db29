import type { ToolCall } from '@kernel/protocol';

/**
 * Returns a digest of what is approved: the tool's name and the argument text, byte for byte (SHA-256, in hex).
 *
 * `node:crypto` is loaded at the first use: importing it costs more than the rest of this package.
 */
export function callDigest(call: ToolCall): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify([call.name, call.arguments]));
}
