import { errorMessage } from '@kernel/internal';
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
export async function parseProgram(code: string): Promise<PreparedProgram | SyntaxProblem> {
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
      const options = { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true } as const;
      return parse(transform(code, { ...options, transforms: ['typescript'] }).code);
    } catch {
      return { problem: errorMessage(javaScriptError) };
    }
  }
}
