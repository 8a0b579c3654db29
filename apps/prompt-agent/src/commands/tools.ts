import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { textOf, type Tool, toolCallsOf } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { usageFault } from '../usage-fault.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** One call with the tools of a file: the text as `Response:`, the calls that the model asks for, the token line. Runs none of them. */
export async function tools(session: Session): Promise<number> {
  const offered = await loadTools(session);
  const end = await callModel(session, { protocol: 'tools', content: session.prompt, tools: offered });
  const text = textOf(end.message);
  const calls = toolCallsOf(end.message).map((call) => `  - ${call.name}(${call.arguments})`);
  const isStreamed = session.flags.stream === true;
  writeReply(session, 'tools', end, [
    ...(text === '' || isStreamed ? [] : [`Response: ${text}`]),
    ...(calls.length === 0 ? [] : ['Tool Calls:', ...calls]),
    ...(isStreamed ? [] : tokenLine(end, 'completion')),
  ]);
  return EXIT.answer;
}

async function loadTools({ flags, host }: Session): Promise<readonly Tool[]> {
  const file = flags['tools-file'] ?? '';
  const text = await readFile(resolve(host.cwd, file), 'utf8').catch(() => {
    throw usageFault(`--tools-file: "${file}" cannot be read.`);
  });
  const entries = parseArray(text, file).map((entry, index) => {
    if (isTool(entry)) return entry;
    throw usageFault(`--tools-file: entry ${index} of "${file}" is no { name, description, parameters }.`);
  });
  // The registry checks names and schemas; nothing is ever called through it.
  return createRegistry(entries.map((tool) => bindTool(tool, () => 'not run'))).list();
}

function parseArray(text: string, file: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Told below, with the same words as for JSON that is no array.
  }
  throw usageFault(`--tools-file: "${file}" is no JSON array.`);
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description, parameters } = value as Partial<Record<keyof Tool, unknown>>;
  return (
    typeof name === 'string' && typeof description === 'string' && typeof parameters === 'object' && parameters !== null
  );
}
