import { attempt, errorMessage, isObject } from '@kernel/internal';
import type { Expression, Program } from 'acorn';
import { visit } from './visit.ts';

/** A program that can be run. */
export interface PreparedProgram {
  /** JavaScript: the body of an async function, on the lines that it had. */
  readonly source: string;
  /** Its syntax tree. */
  readonly tree: Program;
  /** Whether it returns its last expression, since it has no `return`. */
  readonly returnsLast: boolean;
}

/** A syntax error of a program: what is wrong, and where. */
export interface SyntaxProblem {
  /** What is wrong, with line and column. */
  readonly problem: string;
}

/** Begins a program that is one expression. Columns of its first line are counted from behind it. */
export const RETURN = 'return/**/(';

/** Parses a program, after removing its types where it has any. The parsers are loaded with the first one. */
export async function parseProgram(given: string): Promise<PreparedProgram | SyntaxProblem> {
  const code = withoutExport(withoutFence(given));
  const acorn = await import('acorn');
  const options = { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true } as const;
  const parse = (source: string): PreparedProgram => {
    const tree = acorn.parse(source, options);
    const result = resultOf(source, tree, (at) => attempt(() => acorn.parseExpressionAt(source, at, options)));
    return { source: result ?? source, tree, returnsLast: result !== undefined };
  };
  try {
    return parse(code);
  } catch (javaScriptError) {
    try {
      const { transform } = await import('sucrase');
      return parse(
        transform(code, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true }).code,
      );
    } catch (error) {
      // The parser that got further has found the mistake; the other one may have stopped at a type.
      const isFurther = positionOf(error) > positionOf(javaScriptError);
      return { problem: errorMessage(isFurther ? error : javaScriptError).replace(/^Error transforming [^:]*: /, '') };
    }
  }
}

/** A program without the fence of Markdown around it, on the lines that it had. */
function withoutFence(code: string): string {
  const text = code.trim();
  const lines = text.split('\n');
  if (lines.length < 3 || !/^```\w*\r?$/.test(lines[0] ?? '') || lines.at(-1) !== '```') return code;
  return `\n${lines.slice(1, -1).join('\n')}`;
}

/** Puts the function of `export default` in parentheses, in which it needs no name. The columns stay. */
function withoutExport(code: string): string {
  const found = /^export default (?=async\b|function\b|\()/m.exec(code);
  if (found === null) return code;
  const rest = code.slice(found.index + found[0].length).trimEnd();
  const end = rest.endsWith(';') ? rest.slice(0, -1) : rest;
  return `${code.slice(0, found.index)}${'('.padStart(found[0].length)}${end})`;
}

/** Where a parser stopped, in characters. */
function positionOf(error: unknown): number {
  const position = isObject(error) ? error['pos'] : undefined;
  return typeof position === 'number' ? position : -1;
}

/**
 * Adds the missing `return` to a program that ends in an expression, and the missing call to one that ends in a
 * function. Models write both for other sandboxes. Undefined for any other program.
 */
function resultOf(
  source: string,
  tree: Program,
  expressionAt: (at: number) => Expression | undefined,
): string | undefined {
  const last = tree.body.at(-1);
  if (last === undefined || returns(tree)) return undefined;
  // Where the statement before ends, so that columns stay what they are in the lines of the last one.
  const before = tree.body.at(-2)?.end ?? 0;
  const head = before === 0 ? RETURN : `${source.slice(0, before)};${RETURN}`;
  const rest = source.slice(last.end);
  const asValue = (end: number): string => `${head}${source.slice(before, end)}\n);${rest}`;
  if (last.type === 'ExpressionStatement') {
    const { expression } = last;
    const end = source.slice(expression.end, last.end).endsWith(';') ? last.end - 1 : last.end;
    return isFunction(expression) ? `${head}${source.slice(before, end)}\n)(tools);${rest}` : asValue(end);
  }
  if (last.type === 'BlockStatement') {
    const object = expressionAt(last.start);
    const isWhole = object?.type === 'ObjectExpression' && object.end === last.end && object.properties.length > 0;
    return isWhole ? asValue(last.end) : undefined;
  }
  const [declared] = last.type === 'VariableDeclaration' ? last.declarations : [last];
  const name = declared !== undefined && 'id' in declared && declared.id?.type === 'Identifier' ? declared.id.name : '';
  const isCallable =
    declared?.type === 'FunctionDeclaration' ||
    (declared?.type === 'VariableDeclarator' && isFunction(declared.init ?? undefined));
  if (!isCallable || isNamedBefore(tree, name)) return undefined;
  return `${source.slice(0, last.end)}; return ${name}(tools);${rest}`;
}

/** Whether a program returns, outside of its functions. */
function returns(tree: Program): boolean {
  let found = false;
  visit(tree, (node) => {
    found ||= node.type === 'ReturnStatement';
    return !isFunction(node);
  });
  return found;
}

/** Whether statements before the last one name something. */
function isNamedBefore({ body }: Program, name: string): boolean {
  let found = false;
  visit(body.slice(0, -1), (node) => {
    found ||= node.type === 'Identifier' && node.name === name;
  });
  return found;
}

function isFunction(node: { readonly type: string } | undefined): boolean {
  return node !== undefined && /^(?:Arrow)?Function/.test(node.type);
}
