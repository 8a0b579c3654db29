import type { CallContext, TurnContext } from '@kernel/protocol';
import type { ToolCondition } from '../tool/binding.ts';
import { asDeclared } from '../unsafe-casts.ts';
import { withTimeout } from '../with-timeout.ts';

/** Which conditions hold. One that is absent has not been evaluated. */
export type ConditionResults = ReadonlyMap<ToolCondition<never>, boolean>;

/** How long one condition can delay a turn. */
const CONDITION_TIMEOUT_MS = 10_000;
/** Of a turn in which no condition has been evaluated. */
export const NO_CONDITION_RESULTS: ConditionResults = new Map();

/** Creates the conditions of tools, each evaluated once for each turn, so that concurrent runs do not see each other's results. */
export function createConditions() {
  // Made with the first conditional tool.
  let known: WeakMap<TurnContext, Map<ToolCondition<never>, boolean>> | undefined;
  let lastTurns: WeakMap<AbortSignal, TurnContext> | undefined;
  return {
    /** Evaluates the conditions of a turn that have not been evaluated in it, and resolves to all of its results. Never rejects. */
    async evaluate(turn: TurnContext, conditions: readonly ToolCondition<never>[]): Promise<ConditionResults> {
      known ??= new WeakMap();
      lastTurns ??= new WeakMap();
      const results = known.get(turn) ?? new Map<ToolCondition<never>, boolean>();
      known.set(turn, results);
      lastTurns.set(turn.signal, turn);
      const missing = conditions.filter((condition) => !results.has(condition));
      const found = await Promise.all(missing.map((condition) => holds(condition, turn)));
      for (const [index, condition] of missing.entries()) results.set(condition, found[index] === true);
      return results;
    },
    /** The turn that a call belongs to: the one that it names, or the last one that began under its signal; undefined for neither. */
    turnOf: ({ turn, signal }: Pick<CallContext, 'turn' | 'signal'>): TurnContext | undefined =>
      turn ?? lastTurns?.get(signal),
    resultsOf: (turn: TurnContext): ConditionResults => known?.get(turn) ?? NO_CONDITION_RESULTS,
  };
}

export type Conditions = ReturnType<typeof createConditions>;

/** A condition that throws or takes too long does not hold. */
function holds(condition: ToolCondition<never>, turn: TurnContext): Promise<boolean> {
  const evaluated = async (): Promise<boolean> => condition(asDeclared(turn));
  return withTimeout(evaluated(), CONDITION_TIMEOUT_MS, false);
}
