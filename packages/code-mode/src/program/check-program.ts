import { isObject, nearest } from '@kernel/internal';
import type { AnyNode, Program } from 'acorn';
import type { SandboxTool, Tool } from '@kernel/protocol';
import { isNode, visit } from './visit.ts';

/** What a program can call: the tools, and the names under which it sees them. */
export interface CallableTools {
  /** The tools. */
  readonly tools: readonly Tool[];
  /** The same tools as programs see them. */
  readonly sandboxTools: readonly SandboxTool[];
}

/**
 * Returns what is certain to go wrong in a program, before any of it runs: tools that do not exist, properties that a tool does not take, imports. Only what
 * the text says is looked at, such as `tools.read_file({ path })`; anything computed is left to the run.
 */
export function checkProgram(tree: Program, { tools, sandboxTools }: CallableTools): readonly string[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const names = new Map(
    sandboxTools.flatMap(({ name, alias = name }) => [[name, name] as const, [alias, name] as const]),
  );
  const problems: string[] = [];
  const isOwn = declares(tree, 'tools');
  visit(tree, (node) => {
    if (node.type === 'ImportExpression')
      problems.push(`import() is not available: a program has its tools, and nothing else.`);
    if (isOwn) return;
    const name = toolNamed(node.type === 'CallExpression' ? node.callee : node);
    if (name === undefined) return;
    const known = names.get(name);
    if (known === undefined) {
      if (node.type === 'MemberExpression') problems.push(unknownTool(name, names.keys()));
    } else if (node.type === 'CallExpression') problems.push(...unknownProperties(node, byName.get(known)));
  });
  return [...new Set(problems)];
}

/** The tool that `tools.name` or `tools["name"]` names. */
function toolNamed(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier' || node.object.name !== 'tools')
    return undefined;
  const { property, computed } = node;
  if (!computed && property.type === 'Identifier') return property.name;
  return computed && property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}

function unknownTool(name: string, names: Iterable<string>): string {
  const near = nearest(name, names);
  const hint = near.length === 0 ? 'find_tools(words) finds tools.' : `Did you mean ${near.join(', ')}?`;
  return `There is no tool "${name}". ${hint}`;
}

/** Keywords with which a schema is put together from others. */
const COMPOSING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];

/** The properties of the object given to a tool that its schema does not know and does not allow. */
function unknownProperties(call: AnyNode & { type: 'CallExpression' }, tool: Tool | undefined): readonly string[] {
  const [input] = call.arguments;
  const { properties, additionalProperties, patternProperties, type } = tool?.parameters ?? {};
  if (tool === undefined || input?.type !== 'ObjectExpression' || type !== 'object' || !isObject(properties)) return [];
  if (patternProperties !== undefined || (additionalProperties !== undefined && additionalProperties !== false))
    return [];
  // Others can be declared elsewhere in the schema.
  if (additionalProperties === undefined && COMPOSING.some((keyword) => keyword in tool.parameters)) return [];
  const known = Object.keys(properties);
  return input.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed) return [];
    const key =
      property.key.type === 'Identifier'
        ? property.key.name
        : property.key.type === 'Literal'
          ? String(property.key.value)
          : undefined;
    if (key === undefined || known.includes(key)) return [];
    const near = nearest(key, known);
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `It takes ${known.join(', ') || 'nothing'}.`;
    return [`tools.${tool.name} takes no "${key}". ${hint}`];
  });
}

/** Whether a program gives a name another meaning somewhere: it declares it, takes it as a parameter, alone or out of a pattern, or assigns to it. */
function declares(tree: Program, name: string): boolean {
  let isDeclared = false;
  visit(tree, (node) => {
    isDeclared ||= boundBy(node).some((target) => isNode(target) && bindsName(target, name));
  });
  return isDeclared;
}

/** The patterns that a node binds or assigns to. */
function boundBy(node: AnyNode): readonly unknown[] {
  switch (node.type) {
    case 'VariableDeclarator':
    case 'ClassDeclaration':
      return [node.id];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return [node.id, ...node.params];
    case 'ArrowFunctionExpression':
      return node.params;
    case 'CatchClause':
      return [node.param];
    case 'AssignmentExpression':
      return [node.left];
    default:
      return [];
  }
}

/** Whether a pattern, such as `{ a, b: [c] }`, has a name among those that it binds. */
function bindsName(pattern: AnyNode, name: string): boolean {
  let isBound = false;
  visit(pattern, (node) => {
    isBound ||= node.type === 'Identifier' && node.name === name;
  });
  return isBound && pattern.type !== 'MemberExpression';
}
