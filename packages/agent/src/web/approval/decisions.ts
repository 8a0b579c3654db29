import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { ApprovalDecision, Approve } from '../../approval/approval.ts';

/** A client's decision on one call. */
export interface ClientDecision {
  /** The id of the call, as in `pending`. */
  readonly callId: string;
  /** The ids of the calls of agents around it, as in `pending`. Default: none. Call ids only, unlike `SubAgentEvent.path`. */
  readonly path?: readonly string[] | undefined;
  /** What is decided. */
  readonly decision: 'allow' | 'deny';
  /** Of what was shown, as in `pending`. An `allow` needs it. */
  readonly digest?: string | undefined;
  /** Why not: the model reads it. */
  readonly reason?: string | undefined;
}

const MAX_DECISIONS = 1_000;
const MAX_ID_LENGTH = 1_000;
const MAX_REASON_LENGTH = 2_000;
const MAX_DEPTH = 100;
const DIGEST = /^[0-9a-f]{64}$/;
const LATER: Approve = () => ({ decision: 'later' });

/**
 * Turns what a client sent, one `ClientDecision` or a list of them as parsed JSON, into the `approve` function of the run that goes on.
 *
 * An `allow` counts only for the call that was shown: if the tool or the arguments are others by now, the call stays pending. Calls without a decision
 * are left to `otherwise`; by default they stay pending. Throws `ARGUMENTS_INVALID` for anything else than decisions, and for two on one call.
 */
export function decisionsFrom(json: unknown, otherwise: Approve = LATER): Approve {
  const list: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (list.length > MAX_DECISIONS) throw refused(`${list.length} decisions; at most ${MAX_DECISIONS} are read.`);
  const answers = new Map<string, ApprovalDecision>();
  for (const [index, value] of list.entries()) {
    const { key, answer } = readDecision(value, list.length === 1 ? 'The decision' : `Decision ${index}`);
    if (answers.has(key)) throw refused(`Two decisions are on the same call.`);
    answers.set(key, answer);
  }
  return (request) => answers.get(keyOf(request.path, request.call.id)) ?? otherwise(request);
}

function readDecision(value: unknown, subject: string): { readonly key: string; readonly answer: ApprovalDecision } {
  if (!isObject(value)) throw refused(`${subject} is not an object.`);
  const { callId, path = [], decision, digest, reason = 'The user refused.' } = value;
  if (!isId(callId)) throw refused(`${subject} has no callId.`);
  if (!Array.isArray(path) || path.length > MAX_DEPTH || !path.every(isId))
    throw refused(`${subject}: path is not a list of ids.`);
  const key = keyOf(path, callId);
  if (decision === 'deny') {
    if (typeof reason !== 'string' || reason.length > MAX_REASON_LENGTH)
      throw refused(`${subject}: reason is not a text of at most ${MAX_REASON_LENGTH} characters.`);
    return { key, answer: { decision, reason } };
  }
  if (decision !== 'allow') throw refused(`${subject} is neither "allow" nor "deny".`);
  if (typeof digest !== 'string' || !DIGEST.test(digest))
    throw refused(`${subject} allows a call without the digest of what was shown.`);
  return { key, answer: { decision, digest } };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
}

function keyOf(path: readonly string[], callId: string): string {
  return JSON.stringify([...path, callId]);
}

function refused(message: string): KernelError {
  return new KernelError('ARGUMENTS_INVALID', message, {
    hint: 'Send { callId, path, decision: "allow" or "deny", digest } of a pending call.',
  });
}
