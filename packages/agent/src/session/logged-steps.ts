import { isObject } from '@kernel/internal';
import type { JsonValue, Message, SuspendedCall, ToolCall, ToolResultJson, Step, StepExecutor } from '@kernel/protocol';
import { toToolMessage } from '../history/messages.ts';
import { toSuspendedCall } from '../history/suspended-calls.ts';
import type { LogPosition } from './log-position.ts';
import type { Session, SessionEntry } from './session.ts';
import { storeError } from './store-error.ts';
import { untilStored } from './until-stored.ts';

interface StepFields {
  readonly call?: ToolCall;
  readonly received?: readonly Message[];
  readonly message?: Message & { readonly role: 'assistant' };
  readonly result?: ToolResultJson;
  readonly suspended?: SuspendedCall;
}

export interface SessionLogOptions {
  readonly session: Session;
  readonly signal: AbortSignal | undefined;
  readonly position: LogPosition;
}

/** Wraps a step executor so that the session logs each call before it runs and each message before the loop uses it. */
export function withSessionLog(
  steps: StepExecutor,
  { session, signal: runSignal, position }: SessionLogOptions,
): StepExecutor {
  const append = async (entries: readonly SessionEntry[]): Promise<void> => {
    try {
      await untilStored(() => session.append(entries), runSignal);
      position.count(entries);
    } catch (error) {
      throw storeError('The session could not be written', error);
    }
  };
  const logged = (step: Step): Step => ({
    ...step,
    async run(scope) {
      const { call } = fieldsOf(step.input);
      let hasBegun = false;
      let failure: { readonly error: unknown } | undefined;
      const beforeHandler = async (): Promise<void> => {
        try {
          if (!hasBegun && call !== undefined)
            await append([{ type: 'call-start', callId: call.id, name: call.name, effect: step.effect ?? 'external' }]);
          hasBegun = true;
          await scope?.beforeHandler?.();
        } catch (error) {
          failure = { error }; // a toolset turns it into a failed result, which must not be all that is seen of it
          throw error;
        }
      };
      const output = await step.run({ ...scope, beforeHandler });
      if (failure !== undefined) throw failure.error;
      const entries =
        step.kind === 'approve'
          ? decisionEntries(call, output)
          : entriesOf(fieldsOf(step.input), fieldsOf(output), step.kind === 'output');
      if (entries.length > 0) await append(entries);
      return output;
    },
  });
  return { all: (batch) => steps.all(batch.map(logged)) };
}

function entriesOf(
  { call }: StepFields,
  { received = [], message, result, suspended }: StepFields,
  isCorrection: boolean,
): readonly SessionEntry[] {
  if (suspended !== undefined) return [{ type: 'suspended', calls: [suspended] }];
  const entries: SessionEntry[] = received.map((each) => ({
    type: 'message',
    message: each,
    ...(isCorrection ? { isCorrection } : {}),
  }));
  if (message !== undefined && message.content.length > 0) entries.push({ type: 'message', message });
  if (call !== undefined && result !== undefined) {
    const { outcome = 'done', code } = result;
    const ended = { ...(outcome === 'done' ? {} : { outcome }), ...(code === undefined ? {} : { code }) };
    entries.push({ type: 'message', message: toToolMessage(call, result), ...ended });
  }
  return entries;
}

/** A decision is logged as it is made, so that a question that stays open beside it does not lose it. */
function decisionEntries(call: ToolCall | undefined, output: JsonValue): readonly SessionEntry[] {
  if (call === undefined || !isObject(output)) return [];
  const { digest } = output;
  return [{ type: 'suspended', calls: toSuspendedCall({ callId: call.id, decision: output, digest }) }];
}

function fieldsOf(value: JsonValue): StepFields {
  if (typeof value !== 'object' || value === null) return {};
  const fields: unknown = value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the inputs and outputs of the loop's own steps
  return fields as StepFields;
}
