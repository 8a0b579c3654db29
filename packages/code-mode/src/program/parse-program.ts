import { errorMessage, isObject } from '@kernel/internal';
import type { Program } from 'acorn';

/** A program that can be run. */
export interface PreparedProgram {
  /** JavaScript: the body of an async function, on the lines that it had. */
  readonly source: string;
  /** Its syntax tree. */
  readonly tree: Program;
}

/** A syntax error of a program: what is wrong, and where. */
export interface SyntaxProblem {
  /** What is wrong, with line and column. */
  readonly problem: string;
}

/** Parses a program, after removing its types where it has any. The parsers are loaded with the first one. */
export async function parseProgram(given: string): Promise<PreparedProgram | SyntaxProblem> {
  const code = withoutFence(given);
  const acorn = await import('acorn');
  const parse = (source: string): PreparedProgram => ({
    source,
    tree: acorn.parse(source, {
      ecmaVersion: 'latest',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    }),
  });
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

/** Where a parser stopped, in characters. */
function positionOf(error: unknown): number {
  const position = isObject(error) ? error['pos'] : undefined;
  return typeof position === 'number' ? position : -1;
}
