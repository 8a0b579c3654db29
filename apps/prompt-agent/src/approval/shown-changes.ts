import { sha256Hex } from '@kernel/internal';
import {
  KernelError,
  type PreparedCall,
  type RunningCall,
  type ToolCall,
  toErrorResult,
  type Toolset,
  wrapCalls,
} from '@kernel/protocol';
import type { ApprovalScope } from './approval-scope.ts';

/**
 * Keeps to the diffs that questions show: a call that would change other lines by the time that it runs, because the
 * file has changed in between, doesn't run. Where the lines stand, and what surrounds them, may differ.
 */
export function createShownChanges(preview: NonNullable<ApprovalScope['preview']>) {
  /** Digests of the lines that were shown, by the call's id and arguments. */
  const shown = new Map<string, string>();
  const show: typeof preview = async (call, signal) => {
    const change = await preview(call, signal);
    if (change !== undefined && 'diff' in change) shown.set(keyOf(call), changedLines(change.diff));
    return change;
  };
  const runAsShown = async (prepared: PreparedCall, call: ToolCall, expected: string, running: RunningCall) => {
    const change = await preview(call, running.signal);
    const isOther = change !== undefined && 'diff' in change && changedLines(change.diff) !== expected;
    return isOther ? changedSince(call) : prepared.run(running);
  };
  return {
    /** Previews a call for a question. */
    show,
    /** Forgets what was shown of a call that doesn't run. */
    forget: (call: ToolCall): void => void shown.delete(keyOf(call)),
    /** Wraps a toolset so that its calls change what was shown of them. */
    guard: (tools: Toolset): Toolset =>
      wrapCalls(tools, (prepared, { id, type }) => {
        if (prepared.tool.effect === 'read') return prepared;
        const call = { id, type, name: prepared.tool.name, arguments: prepared.arguments };
        return {
          ...prepared,
          run: (running) => {
            const expected = shown.get(keyOf(call));
            shown.delete(keyOf(call));
            return expected === undefined ? prepared.run(running) : runAsShown(prepared, call, expected, running);
          },
        };
      }),
  };
}

function keyOf(call: ToolCall): string {
  return `${call.id} ${call.arguments}`;
}

/** The digest of the lines that a diff removes and adds, with the names of their files. */
function changedLines(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[-+]/.test(line));
  return sha256Hex(lines.join('\n'));
}

function changedSince({ name }: ToolCall) {
  const message = `"${name}" was not run: the file has changed since its diff was shown. Read it again, then repeat the change.`;
  return toErrorResult(new KernelError('TOOL_DENIED', message), 'denied');
}
