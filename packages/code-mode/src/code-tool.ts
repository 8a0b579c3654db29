import type { SandboxTool, Tool } from '@kernel/protocol';
import { type CheckedOptions, strongestEffect } from './check-options.ts';
import { declareTools } from './declarations/declare-tools.ts';

/** Creates the tool that runs programs over these tools. */
export function createCodeTool(
  { name, effect }: CheckedOptions,
  tools: readonly Tool[],
  sandboxTools: readonly SandboxTool[],
): Tool {
  return Object.freeze({
    name,
    description: describeProgram(tools, sandboxTools),
    parameters: PARAMETERS,
    effect: effect ?? strongestEffect(tools),
  });
}

const PARAMETERS = Object.freeze({
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The program: JavaScript or TypeScript, the body of an async function.' },
  },
  required: ['code'],
  additionalProperties: false,
});

function describeProgram(tools: readonly Tool[], sandboxTools: readonly SandboxTool[]): string {
  const declarations = declareTools(sandboxTools);
  const known =
    declarations ??
    `There are ${tools.length} tools. find_tools("words") returns those that fit, as [{ name, declaration }]; describe_tool("name") returns one declaration.`;
  return `Runs a program that calls tools, when an answer needs several calls, or what they return must be filtered, joined or counted.

The program is the body of an async function. Call a tool with \`await tools.name(input)\`: it resolves to the tool's data, or to its text, and rejects with the reason if the call fails or is denied. Calls that are made at once run at once: use Promise.all. The program goes on when all of them have ended, and ends when all that it began has ended.
What you get to read: what the program returns, and what it writes with text(value) or console.log. image({ mimeType, data }) shows an image. store(key, value) keeps JSON for later programs, load(key) returns it. sleep(ms) waits. There is no network, no files, no import; the clock stands still.
Write little: return what the question needs.

${known}`;
}
