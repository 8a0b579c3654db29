import { checkToolset, KernelError, toErrorResult, type Toolset, wrapCalls } from '@kernel/protocol';
import { withClosedFiles } from '../workspace/closed-files.ts';
import { decideText, describeRefusal, parseInput } from './decide-text.ts';
import type { PermissionResult, Permissions } from './types.ts';

/**
 * Applies a policy to every call of a toolset. A run asks `approve` only about tools that change something; this also has it ask about a read that a
 * rule asks about, and a call that the rules deny never runs, whoever allowed it: they are looked at when it is prepared, and once more when it runs.
 * Searches of the toolbox leave out the files that a rule denies or asks about.
 */
export function withPermissions<Context = unknown>(tools: Toolset<Context>, policy: Permissions): Toolset<Context> {
  checkToolset('withPermissions', tools);
  return wrapCalls(tools, (prepared, call) => {
    const { arguments: text, tool } = prepared;
    const input = parseInput(text);
    const decide = () =>
      decideText((name, parsed) => policy.decide(name, parsed), { ...call, name: tool.name, arguments: text });
    const refusalOf = (decision: PermissionResult) =>
      decision.verdict === 'deny' || input === undefined
        ? toErrorResult(new KernelError('TOOL_DENIED', describeRefusal(decision)), 'denied')
        : undefined;
    const decision = decide();
    const refused = refusalOf(decision);
    if (refused !== undefined) return refused;
    const { rule, verdict } = decision;
    // Reads that no rule is about are free.
    const isAsked = verdict === 'ask' && rule !== undefined && tool.effect === 'read';
    return {
      ...prepared,
      needsApproval: isAsked ? true : prepared.needsApproval,
      async run(running) {
        const closed = policy.closedFiles(tool.name, input ?? {});
        const run = () => prepared.run(running);
        return refusalOf(decide()) ?? (closed === undefined ? run() : withClosedFiles(closed, run));
      },
    };
  });
}
