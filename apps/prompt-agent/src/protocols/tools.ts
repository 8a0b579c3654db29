import { resolve } from 'node:path';
import { textOf, type Tool, toolCallsOf } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { EXIT } from '../exit-code.ts';
import { parseJson } from '../files/parse-json.ts';
import { readText } from '../files/read-file.ts';
import type { Invocation } from '../invocation.ts';
import { usageError } from '../usage-error.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/**
 * Makes one call with the tools of a file: the text as `Response:`, the calls that the model asks for, the token line. Runs none of them.
 */
export async function tools(invocation: Invocation, prompt: string): Promise<number> {
  const offered = await loadTools(invocation);
  const end = await callModel(invocation, { protocol: 'tools', content: prompt, tools: offered });
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
  const { parseToolsFile } = await import('./tools-file-schema.ts');
  const entries = parseToolsFile(file, parseJson(text, `--tools-file: "${file}"`));
  // The registry checks names and schemas; nothing is called through it.
  return createRegistry(entries.map((tool) => bindTool(tool, () => 'not run'))).list();
}
