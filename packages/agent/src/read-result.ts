import { toModelText, type ToolResult } from '@kernel/protocol';
import { hookStopAnswer } from './loop/hook-stop.ts';

/** Copies a result, so that getters that throw do so here, and reads what the loop will read of it. */
export function readResult(value: ToolResult): ToolResult {
  let result = { ...value };
  if (result.media !== undefined) result = { ...result, media: [...result.media] };
  toModelText(result);
  hookStopAnswer(result.error);
  return result;
}
