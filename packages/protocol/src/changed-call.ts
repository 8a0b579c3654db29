import { KernelError } from './error.ts';

/** The error of a call whose tool or arguments are not those that were approved: `TOOL_DENIED`, with the tool's name in its data. */
export function changedCallError(toolName: string): KernelError {
  const message = `"${toolName}" was not run: the tool or its arguments have changed since the approval.`;
  return new KernelError('TOOL_DENIED', message, {
    hint: 'Call it again to ask for approval of what it is now.',
    data: { tool: toolName },
  });
}
