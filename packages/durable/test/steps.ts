import type { AgentEvent, JsonValue, Step, StepExecutor } from '@kernel/protocol';
import type { DurableContext } from '../src/index.ts';

/** A step by hand. */
export function step(
  id: string,
  body: (scope: Parameters<Step['run']>[0]) => JsonValue | Promise<JsonValue>,
  rest: Partial<Step> = {},
): Step {
  const [kind = ''] = id.slice(id.lastIndexOf('/') + 1).split(':');
  return {
    id,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids of tests begin with a kind
    kind: kind as Step['kind'],
    input: { id },
    run: async (scope) => body(scope),
    ...rest,
  };
}

/** An agent that runs steps by hand and answers with the JSON of what `body` returns. */
export function agentOf(
  body: (steps: StepExecutor, context: DurableContext) => Promise<JsonValue>,
): (context: DurableContext) => AsyncGenerator<AgentEvent> {
  return async function* agent(context) {
    const totals = { type: 'run-end', turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } } as const;
    const answer = JSON.stringify(await body(context.steps, context));
    yield context.signal.aborted ? { ...totals, reason: 'aborted' } : { ...totals, reason: 'done', answer };
  };
}
