import type { Tool } from '@kernel/protocol';
import { encodeFunction } from './encode-function.ts';
import type { TextCall, TextFormat } from './format.ts';

/** Control tokens are left out: a description may come from an untrusted source. */
function toolLines(tools: readonly Tool[]): string {
  return tools.map((tool) => tokenFreeJson(encodeFunction(tool))).join('\n');
}

/** A prompt that describes the tools, and how to call one. */
export function promptWith(instructions: string, open = '<tools>', close = '</tools>'): TextFormat['prompt'] {
  return (tools) =>
    `# Tools\n\nYou may call these functions. Their signatures, one per line:\n${open}\n${toolLines(tools)}\n${close}\n\n${instructions}`;
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

// Where a control token of a chat template begins: `<|…|>`, `<｜…｜>` and `<…|>`, tags of tools, calls, arguments and results, `[TOOL_RESULTS]`,
// `[SYSTEM_PROMPT]`, `<think>`, `<<SYS>>`, `]~b]`, `[e~[`, beginnings and ends of turns. The token of any format counts in every format,
// since servers map them to the same special tokens.
const TOKEN_START =
  /[<[](?=[|｜]|\/?[ \t]{0,8}(?:tool_|tool▁|tools>|available_tools|system_?prompt|think[>\]]|sys>|function[=>]|parameter[=>]|arg_(?:key|value)>|minimax:|inst\]|s>|bos>|eos>|sop>|gmask\]|im_|(?:begin|beginning|start|end)_of_|[a-z_]{1,24}\|>)|e~\[)|\](?=~!?b[[\]])/gi;

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['<', String.raw`\u003c`],
  ['[', String.raw`\u005b`],
  [']', String.raw`\u005d`],
]);

/** Tool output that cannot end its envelope: a backslash splits each control token, as in `<\/tool_response>`. */
export function plainResult(text: string): string {
  return text.replaceAll(TOKEN_START, (first) => `${first}\\`);
}

/** The first character of each control token is escaped, so that the decoded text is unchanged. */
export function tokenFreeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(TOKEN_START, (first) => ESCAPED.get(first) ?? first);
}

/** A backslash splits each run of three backticks. */
export function fencedResult(info: string, text: string): string {
  return `\`\`\`${info}\n${plainResult(text).replaceAll(/`(?=``)/g, '`\\')}\n\`\`\``;
}
