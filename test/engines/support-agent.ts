import { run } from '@kernel/agent';
import type { AgentEvent, Decision, Message, Provider, StepExecutor } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';

/** The input of a conversation. */
export interface Start {
  readonly runId: string;
  readonly messages: readonly Message[];
}

/** The decisions that were made, by call. */
export type Decisions = Readonly<Record<string, Decision>>;

/** Stands in for a model: it calls `send_mail`, and answers once the mail is sent. */
const provider: Provider = {
  name: 'scripted',
  stream(request) {
    const isSent = request.messages.some(({ role }) => role === 'tool');
    const mailing = { calls: [{ name: 'send_mail', id: 'call_1', arguments: { to: 'Ada' } }] };
    return scriptedProvider([isSent ? { text: 'Done.' } : mailing]).stream(request);
  },
};
const parameters = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } as const;
const mail = bindTool(
  { name: 'send_mail', description: 'Sends a mail to somebody.', parameters, effect: 'external' },
  (_: unknown, { idempotencyKey }) => `Sent as ${idempotencyKey}.`,
);

/** The agent of the sketches, as it would run in memory: only `steps` makes it durable. */
export function supportAgent(
  { runId, messages }: Start,
  steps: StepExecutor,
  decisions: Decisions,
): AsyncIterable<AgentEvent> {
  return run({
    provider,
    model: 'm',
    tools: createRegistry([mail]),
    messages,
    runId,
    steps,
    approve: ({ call, path }) => decisions[[...path, call.id].join('/')] ?? { decision: 'later' },
  });
}
