import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { initialHistory } from '../history/repair-history.ts';
import type { RunOptions } from '../options.ts';
import type { OutputSchema } from '../output/output-schema.ts';
import { createTypedOutput, type TypedOutput } from '../output/typed-output.ts';
import { runLoop } from './loop.ts';
import { outcomeOfError } from './run-end.ts';
import type { StepContext } from './steps.ts';

/** Runs the loop for a typed answer. A schema that is wrong ends the run before its first turn. */
export async function runWithOutput(options: RunOptions, schema: OutputSchema, context: StepContext): Promise<void> {
  let output: TypedOutput;
  try {
    output = await createTypedOutput(schema, options.tools);
  } catch (error) {
    const messages = Object.freeze(initialHistory(options.messages, options.system));
    const usage = { inputTokens: 0, outputTokens: 0 };
    const failed = KernelError.is(error)
      ? error
      : new KernelError('CONFIG_INVALID', `The output schema failed: ${errorMessage(error)}`, { cause: error });
    void context.emit({ type: 'run-end', ...outcomeOfError(failed, context.signal), turns: 0, messages, usage });
    return;
  }
  await runLoop(options, context, output);
}
