import { errorMessage } from '@kernel/internal';
import { isRepeatable, KernelError, type ToolEffect, unreadableResult } from '@kernel/protocol';
import type { ToolBinding, ToolHandler } from '../../tool/binding.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { asDeclared } from '../../unsafe-casts.ts';
import { type ForeignToolOptions, isAsyncIterable, withApprovalCheck } from '../foreign-tool.ts';
import { readModelOutput } from './model-output.ts';
import { toInputSchema } from './to-input-schema.ts';

/** A tool of the AI SDK, as `tool()` of `ai` returns it. */
export interface AiSdkToolInput {
  /** What the tool does, as a string: one text serves every call here. */
  readonly description?: unknown;
  /** A name for people. */
  readonly title?: string | undefined;
  /** Asks the vendor to constrain the model to the schema. */
  readonly strict?: boolean | undefined;
  /** The schema of the arguments: of zod, another Standard Schema with its JSON Schema, or of `jsonSchema()`. */
  readonly inputSchema: unknown;
  /** Does the work. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  /** Whether a call needs an approval. */
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  /** What the model reads of what `execute` returned. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
}

/**
 * Binds a tool of the AI SDK under a name. Its arguments are validated and repaired, and its time is limited, as those of any tool here.
 *
 * `execute` gets the call's id, its signal and the `context` of the run, and no messages; what it yields before the last value is progress. A call that
 * `needsApproval` never runs unasked, unless `effect` is given. The tool's callbacks, such as `onInputStart`, are not called. Throws
 * `CONFIG_INVALID` for a tool without `execute` or with a function as its description, and `TOOL_SCHEMA_INVALID` for a schema without a JSON Schema.
 */
export function fromAiSdkTool<const Name extends string>(
  name: Name,
  tool: AiSdkToolInput,
  { effect, ...options }: ForeignToolOptions = {},
): ToolBinding<Name> {
  const { description = '', title, strict, execute, toModelOutput, needsApproval } = tool;
  if (execute === undefined)
    throw new KernelError('CONFIG_INVALID', `The AI SDK tool "${name}" has no execute.`, {
      hint: 'Give it an execute, or leave it out: a registry cannot run tools that the vendor or the browser runs.',
    });
  if (typeof description !== 'string')
    throw new KernelError('CONFIG_INVALID', `The description of the AI SDK tool "${name}" is not a string.`, {
      hint: 'Pass { ...tool, description: "…" }: every model reads the same text.',
    });
  const handler: ToolHandler<object> = (input, { callId: toolCallId, signal: abortSignal, context }) => {
    const returned: unknown = execute(
      asDeclared(input),
      asDeclared({ toolCallId, abortSignal, context, messages: [] }),
    );
    if (toModelOutput === undefined) return returned;
    return withModelOutput(name, effect, returned, (output) =>
      toModelOutput(asDeclared({ toolCallId, input, output })),
    );
  };
  const binding = defineTool({
    ...options,
    name,
    description,
    ...(title === undefined ? {} : { title }),
    ...(strict === undefined ? {} : { strict }),
    ...(effect === undefined ? {} : { effect }),
    input: toInputSchema(name, tool.inputSchema),
    handler,
  });
  return withApprovalCheck(binding, effect === undefined ? toCheck(needsApproval) : undefined);
}

function toCheck(needsApproval: AiSdkToolInput['needsApproval']): ToolBinding['input']['needsApproval'] {
  if (typeof needsApproval !== 'function') return needsApproval === true ? () => true : undefined;
  return (input, { callId: toolCallId, context }) =>
    needsApproval(asDeclared(input), asDeclared({ toolCallId, context, messages: [] }));
}

/** Yields what the tool yields, and returns its last value with what the model reads of it. */
async function* withModelOutput(
  name: string,
  effect: ToolEffect | undefined,
  returned: unknown,
  toModelOutput: (output: unknown) => unknown,
): AsyncGenerator<unknown, unknown, undefined> {
  let output: unknown;
  if (!isAsyncIterable(returned)) output = await returned;
  else
    for await (const value of returned) {
      output = value;
      yield value;
    }
  try {
    return readModelOutput(await toModelOutput(output), output);
  } catch (error) {
    // The tool has run. A repeatable one may run again.
    if (isRepeatable(effect)) throw error;
    return unreadableResult(name, `its toModelOutput failed: ${errorMessage(error)}.`, error);
  }
}
