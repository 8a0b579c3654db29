import { KernelError } from '@kernel/protocol';
import type { ToolBinding } from '../../tool/binding.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { asDeclared } from '../../unsafe-casts.ts';
import type { ForeignToolOptions } from '../foreign-tool.ts';
import { readModelOutput } from './model-output.ts';
import { toInputSchema } from './to-input-schema.ts';

/** A tool of the AI SDK, as `tool()` of `ai` returns it. */
export interface AiSdkToolInput {
  /** What the tool does. */
  readonly description?: unknown;
  /** A name for people. */
  readonly title?: string | undefined;
  /** Asks the vendor to hold the model to the schema. */
  readonly strict?: boolean | undefined;
  /** The schema of the arguments: of zod, another Standard Schema with its JSON Schema, or of `jsonSchema()`. */
  readonly inputSchema: unknown;
  /** Does the work. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  /** What the model reads of what `execute` returned. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
}

/**
 * Binds a tool of the AI SDK under a name. Its arguments are validated and repaired, and its time is limited, as those of any tool here.
 *
 * `execute` gets the call's id, its signal and the `context` of the run, and no messages; what it yields before the last value is progress. Throws
 * `CONFIG_INVALID` for a tool without `execute`, and `TOOL_SCHEMA_INVALID` for a schema without a JSON Schema.
 */
export function fromAiSdkTool<const Name extends string>(
  name: Name,
  tool: AiSdkToolInput,
  { effect, ...options }: ForeignToolOptions = {},
): ToolBinding<Name> {
  const { description, title, strict, execute, toModelOutput } = tool;
  if (execute === undefined)
    throw new KernelError('CONFIG_INVALID', `The AI SDK tool "${name}" has no execute.`, {
      hint: 'Give it an execute, or leave it out: a registry cannot run tools that the vendor or the browser runs.',
    });
  return defineTool({
    ...options,
    name,
    description: typeof description === 'string' ? description : '',
    ...(title === undefined ? {} : { title }),
    ...(strict === undefined ? {} : { strict }),
    ...(effect === undefined ? {} : { effect }),
    input: toInputSchema(name, tool.inputSchema),
    handler(input, { callId: toolCallId, signal: abortSignal, context }) {
      const returned: unknown = execute(
        asDeclared(input),
        asDeclared({ toolCallId, abortSignal, context, messages: [] }),
      );
      if (toModelOutput === undefined) return returned;
      return withModelOutput(returned, (output) => toModelOutput(asDeclared({ toolCallId, input, output })));
    },
  });
}

/** Yields what the tool yields, and returns its last value with what the model reads of it. */
async function* withModelOutput(
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
  return readModelOutput(await toModelOutput(output), output);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
