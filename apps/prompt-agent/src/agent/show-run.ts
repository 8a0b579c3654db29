import { run, runSession, type Session } from '@kernel/agent';
import type { AgentEvent, Message, RunEnd } from '@kernel/protocol';
import { exitCodeOfRun } from '../run-ends.ts';
import type { Invocation } from '../invocation.ts';
import { createView } from '../output/create-view.ts';
import { redactEvents } from '../output/redact-events.ts';
import type { ToolEnds } from '../output/view.ts';
import type { OpenAgent } from './open-agent.ts';

interface RunInput {
  /** The new messages; none to go on with what is pending in the session. */
  readonly messages: readonly Message[];
  /** The conversation that the run continues, and where it is kept; without one nothing is kept. */
  readonly session?: Session | undefined;
  /** The events of a run that was started elsewhere. Takes precedence over `messages` and `session`. */
  readonly events?: AsyncIterable<AgentEvent> | undefined;
  /** Sees each event, secrets redacted, before it is shown. */
  readonly record?: ((event: AgentEvent) => void) | undefined;
}

/** Runs the agent, shows what happens, and returns the exit code. Only the answer reaches stdout; see the README for `--json`. */
export async function showRun(
  { options, viewed }: OpenAgent,
  { messages, session, events: given, record }: RunInput,
  invocation: Invocation,
): Promise<number> {
  const { secret, host, output } = invocation;
  const view = await createView(invocation, viewed);
  const calls: ToolEnds[number][] = [];
  let end: RunEnd | undefined;
  const started = (): AsyncIterable<AgentEvent> =>
    session === undefined ? run({ ...options, messages }) : runSession({ ...options, messages, session });
  const events = given ?? started();
  for await (const event of redactEvents(events, secret)) {
    record?.(event);
    view.event(event);
    if (event.type === 'tool-end') calls.push(event);
    else if (event.type === 'run-end') end = event;
  }
  if (end === undefined) throw new Error('The run ended without a run-end.');
  view.end(end, calls);
  output.finish();
  return exitCodeOfRun(end, host.signal);
}
