import { resolve } from 'node:path';
import { textOf, type Tool, toolCallsOf } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { EXIT } from '../exit-code.ts';
import { readText } from '../files/read-file.ts';
import type { Invocation } from '../invocation.ts';
import { usageError } from '../usage-error.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/**
 * Makes one call with the tools of a file: the text as `Response:`, the calls that the model asks for, the token line. Runs none of them.
 */
export async function tools(invocation: Invocation): Promise<number> {
  const offered = await loadTools(invocation);
  const end = await callModel(invocation, { protocol: 'tools', content: invocation.prompt, tools: offered });
  const text = textOf(end.message);
  const calls = toolCallsOf(end.message).map((call) => `  - ${call.name}(${call.arguments})`);
  const isStreamed = invocation.flags.stream === true;
  writeReply(invocation, 'tools', end, [
    ...(text === '' || isStreamed ? [] : [`Response: ${text}`]),
    ...(calls.length === 0 ? [] : ['Tool Calls:', ...calls]),
    ...(isStreamed ? [] : tokenLine(end, 'completion')),
  ]);
  return EXIT.answer;
}

async function loadTools({ flags, host }: Invocation): Promise<readonly Tool[]> {
  const file = flags['tools-file'] ?? '';
  const text = await readText(resolve(host.cwd, file), '--tools-file', file);
  if (text === undefined) throw usageError(`--tools-file: "${file}" cannot be read (ENOENT).`);
  const entries = parseArray(text, file).map((entry, index) => {
    if (isTool(entry)) return entry;
    throw usageError(`--tools-file: entry ${index} of "${file}" is not a { name, description, parameters }.`);
  });
  // The registry checks names and schemas; nothing is called through it.
  return createRegistry(entries.map((tool) => bindTool(tool, () => 'not run'))).list();
}

function parseArray(text: string, file: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Reported below, like JSON that is not an array.
  }
  throw usageError(`--tools-file: "${file}" is not a JSON array.`);
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description, parameters } = value as Partial<Record<keyof Tool, unknown>>;
  return (
    typeof name === 'string' && typeof description === 'string' && typeof parameters === 'object' && parameters !== null
  );
}
