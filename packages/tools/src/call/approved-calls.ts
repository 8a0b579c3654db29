import type { ValidatedCall } from '@kernel/protocol';
import type { RawArguments, ValidatedArguments } from '@kernel/schema';
import type { ToolBinding } from '../tool/binding.ts';

interface Approved {
  readonly binding: ToolBinding;
  readonly text: RawArguments;
  readonly validated: ValidatedArguments;
  /** The same call in the toolset that it is forwarded to. */
  readonly forwarded: ValidatedCall | undefined;
}

const calls = new WeakMap<ValidatedCall, Approved>();

/** Creates what an approver sees of a call, and remembers what it stands for. */
export function createValidatedCall(
  binding: ToolBinding,
  text: RawArguments,
  validated: ValidatedArguments,
  isCurrent: () => boolean,
  forwarded?: ValidatedCall,
): ValidatedCall {
  const call: ValidatedCall = Object.freeze({
    // A hook of the other toolset may have put another tool in place of this one.
    tool: (forwarded && binding.input.forwardedTool?.(forwarded)) ?? binding.tool,
    arguments: forwarded?.arguments ?? toText(validated.input),
    isCurrent: forwarded === undefined ? isCurrent : () => isCurrent() && forwarded.isCurrent(),
  });
  calls.set(call, { binding, text, validated, forwarded });
  return call;
}

/** Returns what was approved as the toolset knows it that the call is forwarded to. */
export function forwardedCall(approved: ValidatedCall | undefined): ValidatedCall | undefined {
  return approved === undefined ? undefined : calls.get(approved)?.forwarded;
}

/** Returns the validated arguments that were approved, or undefined if the call is not the one that was approved, or its tool is another one. */
export function approvedArguments(
  approved: ValidatedCall,
  binding: ToolBinding,
  text: RawArguments,
): ValidatedArguments | undefined {
  const known = calls.get(approved);
  return known?.binding === binding && known.text === text ? known.validated : undefined;
}

/** The JSON text of what a handler gets. What JSON does not have, a schema library can have made: it is shown as what is nearest to it. */
function toText(input: unknown): string {
  if (typeof input === 'string') return input;
  try {
    return JSON.stringify(input, nearestJson) ?? 'null';
  } catch {
    return '"[arguments that JSON cannot represent]"';
  }
}

function nearestJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}
