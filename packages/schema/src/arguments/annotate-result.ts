import { truncate } from '@kernel/internal';
import { toModelText, type ToolRepair, type ToolResult } from '@kernel/protocol';
import type { ValidatedArguments } from './types.ts';

const MAX_REPAIRS = 5;
const MAX_PATH = 60;

/** Adds what validation changed to a result: as `repairs`, and as a note for the model if the handler ran with the changes. */
export function annotateResult(result: ToolResult, { error, repairs, notes }: ValidatedArguments): ToolResult {
  if (repairs.length === 0 && notes.length === 0) return result;
  const sentences = error === undefined && repairs.length > 0 ? [repairNote(repairs), ...notes] : notes;
  const forLLM = sentences.length === 0 ? result.forLLM : `${toModelText(result)}\n(${sentences.join(' ')})`;
  return { ...result, forLLM, ...(repairs.length === 0 ? {} : { repairs }) };
}

/** Without the values: they may be long, or secret. */
function repairNote(repairs: readonly ToolRepair[]): string {
  const shown = repairs.slice(0, MAX_REPAIRS).map(({ path, rule }) => `${truncate(path || '/', MAX_PATH)} ${rule}`);
  const more = repairs.length > MAX_REPAIRS ? `, and ${repairs.length - MAX_REPAIRS} more` : '';
  return `Repaired arguments: ${shown.join(', ')}${more}.`;
}
