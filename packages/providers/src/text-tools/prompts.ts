import type { Tool } from '@kernel/protocol';
import { encodeFunction } from './encoded-function.ts';
import type { PrintedCall } from './format.ts';

/** The tools as function definitions, one JSON object a line. */
export function toolLines(tools: readonly Tool[]): string {
  return tools.map((tool) => JSON.stringify(encodeFunction(tool))).join('\n');
}

/** A prompt that shows the tools and one call. */
export function promptWith(tools: readonly Tool[], how: string, open = '<tools>', close = '</tools>'): string {
  return `# Tools\n\nYou may call these functions. Their signatures, one a line:\n${open}\n${toolLines(tools)}\n${close}\n\n${how}`;
}

/** A call as JSON text, its arguments as they are. */
export function callJson(call: PrintedCall, key = 'arguments'): string {
  return `{"name": ${JSON.stringify(call.name)}, "${key}": ${call.arguments}}`;
}

/** Several calls as JSON text of a list. */
export function callsJson(calls: readonly PrintedCall[]): string {
  return `[${calls.map((call) => callJson(call)).join(', ')}]`;
}

/** A result as JSON text. */
export function resultJson({ name, text }: { readonly name: string; readonly text: string }): string {
  return JSON.stringify({ name, content: text });
}
