import { KernelError, type RunEnd, type Tool } from '../src/index.ts';

// `Tool` has these fields and no other. A part of the row tool.fields that `tsc` checks.
type Fields = 'name' | 'description' | 'parameters' | 'title' | 'outputSchema' | 'strict' | 'effect' | 'metadata';
const fields: [keyof Tool, Fields] extends [Fields, keyof Tool] ? true : false = true;
void fields;

export function write(tool: Tool): void {
  // @ts-expect-error -- a tool is never written to
  tool.name = 'x';
}

// `answer: string` exists only where there is one. A part of the row agent.loop.reasons that `tsc` checks.
export function answerOf(end: RunEnd): string {
  if (end.reason === 'done' || end.reason === 'handled') return end.answer;
  if (end.reason === 'error') return end.error.message;
  if (end.reason === 'approval') return end.pending.map((call) => call.name).join();
  // @ts-expect-error -- a stopped run may have no answer
  return end.answer;
}

export function hintOf(error: unknown): string | undefined {
  if (KernelError.is(error, 'TOOL_FAILED')) {
    const code: 'TOOL_FAILED' = error.code;
    return code;
  }
  return KernelError.is(error) ? error.hint : undefined;
}
