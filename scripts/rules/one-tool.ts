import { globSync } from 'node:fs';
import { relative } from 'node:path';
import type { ExportedName } from '../lib/ts.ts';
import type { Problem } from '../lib/problem.ts';

/** Exported shapes that may look like a tool, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'packages/acp/dist/options.d.ts#AcpAgentOptions': 'its `args` are those of a program',
  'packages/tools/dist/tool/define-tool.d.ts#DefineToolOptions':
    '`Omit<Tool, "parameters"> & { input, handler, … }`: the argument of defineTool',
  'packages/tools/dist/adapters/openai-agents/from-openai-agents-tool.d.ts#OpenAiAgentsToolInput':
    "another library's own type, which an adapter takes",
  'packages/tools/dist/adapters/openai-agents/to-openai-agents-tools.d.ts#ConvertedOpenAiAgentsTool':
    "another library's own type, which an adapter returns",
};

const SCHEMA_MEMBERS = [
  'parameters',
  'inputSchema',
  'input_schema',
  'parametersJsonSchema',
  'schema',
  'input',
  'inputs',
  'args',
];

/**
 * One Tool: of all exported types in all built declarations, exactly one has a name, a description and a parameter schema.
 * Looks at every declaration file, whether or not an entry point leads to it.
 */
export function oneTool(root: string, exportsOf: (file: string) => readonly ExportedName[]): readonly Problem[] {
  const files = globSync(['packages/*/dist/**/*.d.ts', 'apps/*/dist/**/*.d.ts'], { cwd: root }).toSorted();
  const found = new Map<string, ExportedName>();
  for (const file of files)
    for (const one of exportsOf(`${root}/${file}`))
      if (one.shapes.some(isToolShape)) found.set(`${relative(root, one.file)}#${one.name}`, one);
  const tool = 'packages/protocol/dist/tool.d.ts#Tool';
  const problems: Problem[] = [...found.keys()]
    .filter((key) => key !== tool && !(key in EXCEPTIONS))
    .map((key) => {
      const [file = '', name = ''] = key.split('#');
      const message = `"${name}" is a second exported type that describes a tool. Use Tool of @kernel/protocol.`;
      return { rule: 'one-tool', file, message };
    });
  if (!found.has(tool))
    problems.push({
      rule: 'one-tool',
      file: 'packages/protocol',
      message: 'Tool was not found in the built declarations. Build first.',
    });
  return problems;
}

function isToolShape(members: readonly string[]): boolean {
  return (
    members.includes('name') && members.includes('description') && SCHEMA_MEMBERS.some((name) => members.includes(name))
  );
}
