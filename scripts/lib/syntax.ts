import { parseAst } from 'rolldown/parseAst';

/** A node of an ESTree, with the fields that its type has. */
export interface SyntaxNode {
  readonly type: string;
  /** Where it starts in the text, and where it ends. */
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The nodes that a node is in, the nearest first. */
export type Around = readonly SyntaxNode[];

/** Parses a module of TypeScript or JavaScript. Throws if its syntax is wrong. */
export function parseModule(text: string): SyntaxNode {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ESTree, whose many types nothing here needs
  return parseAst(text, { lang: 'ts' }) as unknown as SyntaxNode;
}

/** Visits a node and all below it, each with the nodes that it is in, the nearest first. */
export function walkSyntax(
  node: SyntaxNode,
  visit: (node: SyntaxNode, around: Around) => void,
  around: Around = [],
): void {
  visit(node, around);
  const inner = [node, ...around];
  for (const child of Object.values(node).flat()) if (isNode(child)) walkSyntax(child, visit, inner);
}

/** The node in a field; undefined where the field has none. */
export function nodeAt(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** The nodes in a field that is a list. */
export function nodesAt(node: SyntaxNode | undefined, field: string): readonly SyntaxNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter((item) => isNode(item)) : [];
}

/** The name of an identifier. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;
}

/** The value of a literal string, also of one that is put together from others with `+`. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [textOf(nodeAt(node, 'left')), textOf(nodeAt(node, 'right'))];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** What a name stands for: the value of the nearest `const` of that name. Undefined for a parameter, a `let` and what is not declared here. */
export function valueOf(node: SyntaxNode, around: Around): SyntaxNode | undefined {
  const name = nameOf(node);
  if (name === undefined) return node;
  for (const outer of around) {
    if (isFunction(outer) && nodesAt(outer, 'params').some((parameter) => declares(parameter, name))) return undefined;
    const statements = [...nodesAt(outer, 'body'), ...nodesAt(nodeAt(outer, 'body'), 'body')];
    for (const statement of statements) {
      const declaration = nodeAt(statement, 'declaration') ?? statement;
      const declared = nodesAt(declaration, 'declarations').find((each) => declares(nodeAt(each, 'id'), name));
      if (declared === undefined) continue;
      return declaration['kind'] === 'const' && nameOf(nodeAt(declared, 'id')) === name
        ? nodeAt(declared, 'init')
        : undefined;
    }
  }
  return undefined;
}

/** Whether a pattern, such as a parameter, declares a name. */
function declares(pattern: SyntaxNode | undefined, name: string): boolean {
  if (pattern === undefined) return false;
  let found = false;
  walkSyntax(pattern, (node) => {
    found ||= nameOf(node) === name;
  });
  return found;
}

/** Whether a node is a function: what is in it runs when it is called. */
export function isFunction({ type }: SyntaxNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
