import type { Tool } from '@kernel/protocol';
import { encodeFunction } from './encode-function.ts';
import type { TextCall } from './format.ts';
import { tokenFreeJson } from './result-text.ts';

/** Without control tokens: a description may come from elsewhere. */
function toolLines(tools: readonly Tool[]): string {
  return tools.map((tool) => tokenFreeJson(encodeFunction(tool))).join('\n');
}

export function promptWith(tools: readonly Tool[], instructions: string, open = '<tools>', close = '</tools>'): string {
  return `# Tools\n\nYou may call these functions. Their signatures, one per line:\n${open}\n${toolLines(tools)}\n${close}\n\n${instructions}`;
}

export function callJson(call: TextCall, key = 'arguments'): string {
  return `{"name": ${JSON.stringify(call.name)}, "${key}": ${call.arguments}}`;
}

export function callsJson(calls: readonly TextCall[]): string {
  return `[${calls.map((call) => callJson(call)).join(', ')}]`;
}

export function resultJson({ name, text }: { readonly name: string; readonly text: string }): string {
  return tokenFreeJson({ name, content: text });
}
