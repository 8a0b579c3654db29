import { KernelError } from '../error.ts';
import type { JsonValue } from '../json.ts';
import { toErrorResult, toModelText } from '../result.ts';
import type { ApprovalDecision } from './approve.ts';
import type { Step } from './step.ts';

/** The default maximum size of a step's output as JSON, in bytes. */
export const MAX_STEP_BYTES = 4 * 1024 * 1024;

/** Returns the id by which `decide` and `resolveOutcome` know the call of a step: the ids of its enclosing calls and its own, outermost first, separated by `/`. Team members are left out. */
export function callIdOf(stepId: string): string {
  const calls = stepId.split('/').filter((part) => part.startsWith('tool:') || part.startsWith('approve:'));
  return calls.map((part) => part.slice(part.indexOf(':') + 1)).join('/');
}

/** Whether the step `id` is an inner step of `outer`. */
export function isInnerStep(id: string, outer: string): boolean {
  return id.startsWith(`${outer}/`) || id.startsWith(`${outer}#`);
}

/** Returns the output of a step, and its JSON. A call result that is too large is replaced by an error; any other output that is throws `LIMIT_REACHED`. */
export function limitOutput(
  step: Step,
  output: JsonValue,
  maxBytes: number,
): {
  /** The output, or the error in its place. */
  readonly kept: JsonValue;
  /** The JSON of `kept`. */
  readonly json: string;
} {
  const json = JSON.stringify(output);
  if (json.length <= maxBytes && (json.length * 3 <= maxBytes || new TextEncoder().encode(json).length <= maxBytes))
    return { kept: output, json };
  const error = new KernelError(
    'LIMIT_REACHED',
    `The output of "${step.id}" is larger than ${maxBytes} bytes (maxResultBytes).`,
    {
      hint: 'Return less, or raise the maxResultBytes of the agent.',
    },
  );
  if (step.kind !== 'tool') throw error;
  const result = toErrorResult(error);
  const kept = { result: { forLLM: toModelText(result), isError: true, code: error.code } };
  return { kept, json: JSON.stringify(kept) };
}

/** Returns the call that waits for a decision according to a step's output, or undefined. An output with one must not be recorded. */
export function pendingCallOf(
  step: Step,
  output: JsonValue,
):
  | {
      /** The call, as the output holds it. */
      readonly call: JsonValue;
      /** The id by which `decide` knows the call, as in `callIdOf`. */
      readonly callId: string;
    }
  | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  const pending: unknown = Reflect.get(output, 'pending');
  const call: unknown = Array.isArray(pending) ? pending[0] : pending;
  if (typeof call !== 'object' || call === null) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- part of an output, which is JSON
  const { id, path = [] } = call as { readonly id: string; readonly path?: readonly string[] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return { call: call as JsonValue, callId: step.kind === 'approve' ? callIdOf(step.id) : [...path, id].join('/') };
}

/** Binds a decision that names no digest to the call that it was made about, as the output of a step holds it: it counts for nothing else. */
export function bindDecision<T>(answer: T, call: JsonValue | undefined): T {
  const digest: unknown = typeof call === 'object' && call !== null ? Reflect.get(call, 'digest') : undefined;
  if (typeof digest !== 'string' || digest === '' || typeof answer !== 'object' || answer === null) return answer;
  // A digest that is undefined, or none, would be lost in JSON or compared with nothing.
  return 'digest' in answer && typeof answer.digest === 'string' ? answer : { ...answer, digest };
}

/** Returns the decision on a call with this digest, as it was given; `later` for one that was made about another call, or about this one before it changed. */
export function decisionFor(answer: ApprovalDecision, digest: string): ApprovalDecision {
  const { digest: of, ...decision }: ApprovalDecision & Partial<Record<'digest', unknown>> = answer;
  return decision.decision !== 'deny' && typeof of === 'string' && of !== digest ? { decision: 'later' } : decision;
}

/** Returns the call in the input of a `tool` step. */
export function callFromInput(input: JsonValue): JsonValue {
  const call: unknown = typeof input === 'object' && input !== null ? (Reflect.get(input, 'call') ?? input) : input;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- part of an input, which is JSON
  return call as JsonValue;
}
