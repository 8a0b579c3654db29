import type { JsonValue } from '@kernel/protocol';
import type { DurableContext } from '../src/index.ts';
import { agentOf, step } from './steps.ts';

const tool = { name: 'pay', description: '', parameters: { type: 'object' } } as const;
const call = { type: 'tool-call', id: 'c', name: 'pay', arguments: '{}' } as const;
/** Makes a call wait. */
export const later = () => ({ decision: 'later' }) as const;

/** A step that asks for a decision, as the loop makes it. */
export function asking(context: DurableContext, id = 'c', prefix = '', path: readonly string[] = []) {
  return step(`${prefix}approve:${id}`, async () => {
    const request = { call: { ...call, id }, tool, path, digest: 'd', signal: context.signal };
    const answer = (await context.approve?.(request)) ?? { decision: 'allow' };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a decision is JSON
    const decision = { ...answer } as unknown as JsonValue;
    return answer.decision === 'later'
      ? { decision: 'later', pending: { ...call, id, tool, path: [...path], digest: 'd' } }
      : decision;
  });
}

/** An agent whose only call waits for a decision. */
export const asks = agentOf(async (steps, context) => (await steps.all([asking(context)]))[0] ?? null);
