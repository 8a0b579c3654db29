import { type ApprovalDecision, type Approve, checkFunctions } from '@kernel/protocol';
import { currentProgram } from './run-code.ts';

/** One call to decide on, as `approve` gets it. */
export type ApprovalRequest<Context = unknown> = Parameters<Approve<Context>>[0];

/** What a program wants to do at once. */
export interface ProgramPlan<Context = unknown> {
  /** The calls, in their order: two or more. */
  readonly requests: readonly ApprovalRequest<Context>[];
  /** The calls by tool, most first, such as `read_file × 40, write_file × 2`. */
  readonly summary: string;
  /** Aborts when an answer would come too late. */
  readonly signal: AbortSignal;
}

/** A decision on a plan: on all of its calls, or `each`, which asks about one call after another. */
export type PlanDecision = Exclude<ApprovalDecision, { readonly decision: 'edit' }> | { readonly decision: 'each' };

/**
 * Asks about the calls that a program makes at once as one plan. A single call is asked about by `approve`, and so is each call of a plan whose decision is
 * `each`, and each call that no program makes. What was allowed is what runs: a call that has changed since is asked about again.
 */
export function approvePlans<Context = unknown>(
  approve: Approve<Context>,
  askPlan: (plan: ProgramPlan<Context>) => PlanDecision | Promise<PlanDecision>,
): Approve<Context> {
  checkFunctions('approvePlans', { approve, askPlan });
  const plansOf = new WeakMap<object, Map<string, Gathering<Context>>>();
  return async (request) => {
    const program = currentProgram();
    if (program === undefined) return approve(request);
    const gathering = plansOf.get(program) ?? new Map<string, Gathering<Context>>();
    plansOf.set(program, gathering);
    // Agents that the program calls make plans of their own.
    const key = JSON.stringify(request.path);
    const together = gathering.get(key) ?? gather(() => gathering.delete(key), askPlan);
    gathering.set(key, together);
    together.requests.push(request);
    const decision = await together.decision;
    return decision.decision === 'each' ? together.inTurn(() => approve(request)) : decision;
  };
}

/** The calls of one program that are asked about together. */
interface Gathering<Context> {
  readonly requests: ApprovalRequest<Context>[];
  readonly decision: Promise<PlanDecision>;
  /** Asks one question after another. */
  inTurn(ask: () => ApprovalDecision | Promise<ApprovalDecision>): Promise<ApprovalDecision>;
}

/** All calls of a batch are asked about in the same turn of the event loop. */
function gather<Context>(
  onComplete: () => void,
  askPlan: (plan: ProgramPlan<Context>) => PlanDecision | Promise<PlanDecision>,
): Gathering<Context> {
  const requests: ApprovalRequest<Context>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const decision = new Promise<void>((resolve) => void setTimeout(resolve)).then(
    (): PlanDecision | Promise<PlanDecision> => {
      onComplete();
      const [first] = requests;
      if (first === undefined || requests.length === 1) return { decision: 'each' };
      return askPlan({ requests, summary: summaryOf(requests), signal: first.signal });
    },
  );
  return {
    requests,
    decision,
    inTurn(ask) {
      const answer = last.then(ask);
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}

function summaryOf(requests: readonly ApprovalRequest<never>[] | readonly ApprovalRequest[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of requests) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => (count === 1 ? name : `${name} × ${count}`)).join(', ');
}
