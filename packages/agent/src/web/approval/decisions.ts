import { isObject } from '@kernel/internal';
import { describeValue, KernelError, type ApprovalDecision, type Approve } from '@kernel/protocol';

/** A client's decision on one call. */
export interface ClientDecision {
  /** The id of the call, as in `pending`. */
  readonly callId: string;
  /** The ids of the calls of agents around it, as in `pending`. Default: none. Call ids only, unlike `SubAgentEvent.path`. */
  readonly path?: readonly string[] | undefined;
  /** The decision. */
  readonly decision: 'allow' | 'deny';
  /** The digest of what was shown, from `pending`. Required for an `allow`. */
  readonly digest?: string | undefined;
  /** The reason for a denial, which the model reads. */
  readonly reason?: string | undefined;
}

const MAX_DECISIONS = 1_000;
const MAX_ID_LENGTH = 1_000;
const MAX_REASON_LENGTH = 2_000;
const MAX_DEPTH = 100;
const DIGEST = /^[0-9a-f]{64}$/;
const LATER: Approve = () => ({ decision: 'later' });

/**
 * Turns what a client sent, one `ClientDecision` or a list of them as parsed JSON, into the `approve` function of the continued run.
 *
 * An `allow` counts only for the call that was shown: if the tool or the arguments have changed since, the call stays pending. Calls without a
 * decision are left to `otherwise`; by default they stay pending. Throws `ARGUMENTS_INVALID` for anything other than decisions, and for two on one
 * call.
 */
export function decisionsFrom(json: unknown, otherwise: Approve = LATER): Approve {
  const list: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (list.length > MAX_DECISIONS)
    throw invalidDecision(`Received ${list.length} decisions; at most ${MAX_DECISIONS} are accepted.`);
  const answers = new Map<string, ApprovalDecision>();
  for (const [index, value] of list.entries()) {
    const { key, callId, answer } = readDecision(value, list.length === 1 ? 'The decision' : `Decision ${index}`);
    if (answers.has(key)) throw invalidDecision(`There are two decisions for the call ${describeValue(callId)}.`);
    answers.set(key, answer);
  }
  return (request) => answers.get(keyOf(request.path, request.call.id)) ?? otherwise(request);
}

interface ReadDecision {
  readonly key: string;
  readonly callId: string;
  readonly answer: ApprovalDecision;
}

function readDecision(value: unknown, subject: string): ReadDecision {
  if (!isObject(value)) throw invalidDecision(`${subject} is not an object.`);
  const { callId, path = [], decision, digest, reason = 'The user denied the call.' } = value;
  if (!isId(callId)) throw invalidDecision(`${subject} has no callId.`);
  if (!Array.isArray(path) || path.length > MAX_DEPTH || !path.every(isId))
    throw invalidDecision(`${subject}: path is not an array of ids.`);
  const key = keyOf(path, callId);
  if (decision === 'deny') {
    if (typeof reason !== 'string' || reason.length > MAX_REASON_LENGTH)
      throw invalidDecision(`${subject}: reason is not a string of at most ${MAX_REASON_LENGTH} characters.`);
    return { key, callId, answer: { decision, reason } };
  }
  if (decision !== 'allow')
    throw invalidDecision(`${subject}: decision is ${describeValue(decision)}, not "allow" or "deny".`);
  if (typeof digest !== 'string' || !DIGEST.test(digest))
    throw invalidDecision(`${subject} allows a call but has no valid digest of what was shown.`);
  return { key, callId, answer: { decision, digest } };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
}

function keyOf(path: readonly string[], callId: string): string {
  return JSON.stringify([...path, callId]);
}

function invalidDecision(message: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', message, {
    hint: 'Send { callId, path, decision: "allow" or "deny", digest } of a pending call.',
  });
}
