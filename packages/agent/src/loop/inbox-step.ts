import type { Step } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import type { Inbox, Received } from './inbox.ts';
import { createStep, type StepContext } from './steps.ts';

/** Creates the step `inbox:<turn>`, which takes the messages that must be answered before the run may end. */
export function inboxStep(context: StepContext, inbox: Inbox, turn: number): Step {
  return createStep(context, { id: `inbox:${turn}`, kind: 'inbox', input: {} }, async ({ emit }): Promise<Received> => {
    const taken = inbox.takeAfterAnswer();
    const received = taken.received.map(freezeMessage);
    if (received.length > 0) await emit({ type: 'steer', messages: received });
    return { ...taken, received };
  });
}
