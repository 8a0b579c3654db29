import { KernelError, type Tool, type ToolCall, toErrorResult, type ToolResult } from '@kernel/protocol';
import { validateForeign } from '@kernel/schema';
import type { Program } from 'acorn';
import { parseProgram } from './parse-program.ts';

/** The program of a call, ready to run. */
export interface ReadCode {
  /** As the model wrote it. */
  readonly code: string;
  /** As it runs: JavaScript. */
  readonly source: string;
  /** Its syntax tree. */
  readonly tree: Program;
  /** Whether it returns its last expression, since it has no `return`. */
  readonly returnsLast: boolean;
  /** The arguments of the call, as JSON text. */
  readonly arguments: string;
}

/** The longest program, in characters. */
const MAX_CODE = 100_000;

/** Reads the program of a call; the failed result, which says what to change, if it can never run. Never rejects. */
export async function readCode(call: ToolCall, tool: Tool): Promise<ReadCode | ToolResult> {
  const { input, error } = validateForeign(tool, call.arguments);
  if (error !== undefined) return toErrorResult(error);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the schema has it
  const { code } = input as { readonly code: string };
  if (code.length > MAX_CODE) return refused([`It has ${code.length} characters; a program may have ${MAX_CODE}.`]);
  const parsed = await parseProgram(code);
  if ('problem' in parsed) return refused([parsed.problem]);
  const { source, tree, returnsLast } = parsed;
  return { code, source, tree, returnsLast, arguments: JSON.stringify({ code }) };
}

/** The failed result of a program of which nothing has run. */
export function refused(problems: readonly string[]): ToolResult {
  const shown = problems.slice(0, 5).join(' ');
  const error = new KernelError('ARGUMENTS_INVALID', `The program was not run. ${shown}`);
  return toErrorResult(error, 'skipped');
}
