import type { JsonValue, Message, ToolCall, ToolEffect, ToolResultJson, Toolset } from '@kernel/protocol';
import { toToolMessage } from '../history/messages.ts';
import type { Step, Steps } from '../loop/steps.ts';
import type { Session, SessionEntry } from './session.ts';

/** The parts of a step's input and output that join a history. */
interface Trace {
  readonly call?: ToolCall;
  readonly received?: readonly Message[];
  readonly message?: Message & { readonly role: 'assistant' };
  readonly result?: ToolResultJson;
}

/** Writes to the session what passes the door: each call before it runs, each message before the loop goes on with it. */
export function withSessionLog(steps: Steps, session: Session, tools: Toolset | undefined): Steps {
  const effectOf = (name: string): ToolEffect => tools?.list().find((tool) => tool.name === name)?.effect ?? 'external';
  const logged = (step: Step): Step => ({
    ...step,
    async run(signal, emit) {
      const { call } = traceOf(step.input);
      if (call !== undefined && step.id.startsWith('tool:'))
        await session.append([{ type: 'call-start', callId: call.id, name: call.name, effect: effectOf(call.name) }]);
      const output = await step.run(signal, emit);
      const entries = entriesOf(traceOf(step.input), traceOf(output));
      if (entries.length > 0) await session.append(entries);
      return output;
    },
  });
  return { all: (batch) => steps.all(batch.map(logged)) };
}

function entriesOf({ call }: Trace, { received = [], message, result }: Trace): readonly SessionEntry[] {
  const joined: Message[] = [...received];
  if (message !== undefined && message.content.length > 0) joined.push(message);
  if (call !== undefined && result !== undefined) joined.push(toToolMessage(call, result));
  return joined.map((each) => ({ type: 'message', message: each }));
}

function traceOf(value: JsonValue): Trace {
  if (typeof value !== 'object' || value === null) return {};
  const data: unknown = value;
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the inputs and outputs of the loop's own steps
  return data as Trace;
}
