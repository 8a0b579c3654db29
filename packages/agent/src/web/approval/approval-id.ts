import type { ClientPendingCall } from '../client-view/client-event-types.ts';
import type { ClientDecision } from './decisions.ts';

/** The id of a call in a protocol without paths: that of the call, or a JSON list of it and the calls around it. */
export function flatCallId(path: readonly string[], callId: string): string {
  return path.length === 0 ? callId : JSON.stringify([...path, callId]);
}

/** The approval id in a protocol that has no place for a digest: it holds the call and the digest. */
export function toApprovalId({ path, callId, digest }: ClientPendingCall): string {
  return JSON.stringify([digest, ...path, callId]);
}

/** Reads an approval id. Anything else gives a decision that `decisionsFrom` rejects. */
export function fromApprovalId(id: unknown): Pick<ClientDecision, 'callId' | 'path' | 'digest'> {
  const [digest = '', ...ids] = readTexts(id);
  return { callId: ids.at(-1) ?? '', path: ids.slice(0, -1), digest };
}

/** Returns the reason of an answer; undefined for one that was left empty. */
export function givenReason(reason: unknown): unknown {
  return reason === '' || reason === null ? undefined : reason;
}

function readTexts(id: unknown): readonly string[] {
  try {
    const value: unknown = typeof id === 'string' ? JSON.parse(id) : undefined;
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : [];
  } catch {
    return [];
  }
}
