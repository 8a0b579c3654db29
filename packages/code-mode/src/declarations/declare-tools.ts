import type { SandboxTool, Tool } from '@kernel/protocol';
import { oneLine, typeOfSchema } from './type-of-schema.ts';

/** How long the declarations in the description of `run_code` may get, in characters. Beyond that the program looks tools up. */
const MAX_DECLARATIONS = 12_000;

/** Returns the tools as programs see them, each with its declaration in TypeScript. */
export function toSandboxTools(tools: readonly Tool[]): readonly SandboxTool[] {
  const names = new Set(tools.map(({ name }) => name));
  return tools.map((tool): SandboxTool => {
    const alias = aliasOf(tool.name);
    const isFree = alias !== tool.name && !names.has(alias);
    if (isFree) names.add(alias);
    return { name: tool.name, ...(isFree && { alias }), declaration: declarationOf(tool, isFree ? alias : tool.name) };
  });
}

/** The name of a tool as one that needs no brackets. */
function aliasOf(name: string): string {
  return name.replaceAll(/[^\w$]/g, '_').replace(/^(?=\d)/, '_');
}

/** Adds tools that a program has called in its first run and that are gone: it takes its path again, and its next call of one fails. */
export function withGoneTools(tools: readonly SandboxTool[], called: readonly string[]): readonly SandboxTool[] {
  const names = new Set(tools.flatMap(({ name, alias = name }) => [name, alias]));
  const gone = [...new Set(called)].filter((name) => !names.has(name));
  const added = gone.map((name): SandboxTool => {
    const alias = aliasOf(name);
    return { name, ...(!names.has(alias) && { alias }), declaration: `// ${name} is gone.` };
  });
  return added.length === 0 ? tools : [...tools, ...added];
}

/** The declaration of one tool: its description, and its types. */
function declarationOf(tool: Tool, name: string): string {
  const output = tool.outputSchema === undefined ? 'unknown' : typeOfSchema(tool.outputSchema);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `/** ${oneLine(tool.description, 400)} */\n${key}(input: ${typeOfSchema(tool.parameters)}): Promise<${output}>;`;
}

/** The declarations of all tools for the description of `run_code`; undefined where they are too long. */
export function declareTools(tools: readonly SandboxTool[]): string | undefined {
  const text = tools.map(({ declaration }) => declaration).join('\n');
  return text.length > MAX_DECLARATIONS ? undefined : `declare const tools: {\n${text}\n};`;
}
