import { onAbort } from '@kernel/internal';
import type { Approve, Tool, ToolCall } from '@kernel/protocol';
import { canonicalArguments } from '../limits/canonical-arguments.ts';
import { isForOther } from './approval.ts';
import { textDigest, toolDigest } from './call-digest.ts';

/** What a remembered `allow` covers: all calls of the tool, calls with the same arguments, or calls for which a function returns the same key. */
export type ApprovalRule = 'tool' | 'arguments' | ((call: ToolCall) => string);

/**
 * Asks once and remembers an `allow` that counts for calls of the same kind. After a denial, an edit, `later`, or an answer that came too late or to
 * another question, the next such call needs a new decision, and so does the next call of a tool that was replaced or whose description, schema or
 * effect has changed.
 *
 * Only a digest of a call is remembered: redacted text would make calls with different secrets look the same, and the arguments themselves would be
 * kept as long as the run. The memory lives as long as the returned function: create one per run.
 */
export function rememberApprovals(approve: Approve, rule: ApprovalRule = 'arguments'): Approve {
  const versionOf = createVersions();
  /** By key, the versions of the tools that were allowed. */
  const allowed = new Map<string, Map<string, number>>();
  const keyOf = ({ call, digest }: Parameters<Approve>[0]): string => {
    if (rule === 'tool') return call.name;
    // The digest tells apart what has the same JSON.
    const { name, arguments: text } = call;
    return textDigest(typeof rule === 'function' ? rule(call) : [name, canonicalArguments(text), digest]);
  };
  return async (request) => {
    const { tool } = request;
    const key = keyOf(request);
    const version = versionOf(tool);
    const versions = allowed.get(key);
    if (versions !== undefined && (versions.get(tool.name) ?? 1) === version) return { decision: 'allow' };
    const answer = await approve(request);
    const counts = answer.decision === 'allow' && !isForOther(answer, request.digest) && !request.signal.aborted;
    if (!counts) return answer;
    const remembered = allowed.get(key) ?? new Map<string, number>();
    allowed.set(key, remembered.set(tool.name, version));
    // Whoever has asked may find only after the answer that it came too late.
    onAbort(request.signal, () => {
      if (remembered.get(tool.name) === version) remembered.delete(tool.name);
      if (remembered.size === 0 && allowed.get(key) === remembered) allowed.delete(key);
    });
    return answer;
  };
}

/** Counts how often the tool of a name has changed, from 1. */
function createVersions(): (tool: Tool) => number {
  const latest = new Map<string, { readonly tool: Tool; readonly digest: string; readonly version: number }>();
  return (tool) => {
    const digest = toolDigest(tool);
    const known = latest.get(tool.name);
    if (known?.tool === tool && known.digest === digest) return known.version;
    const version = (known?.version ?? 0) + 1;
    latest.set(tool.name, { tool, digest, version });
    return version;
  };
}
