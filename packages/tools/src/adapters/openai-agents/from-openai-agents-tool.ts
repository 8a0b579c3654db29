import type { ToolContext } from '@kernel/protocol';
import { bindTool } from '../../tool/bind-tool.ts';
import type { ToolBinding } from '../../tool/binding.ts';
import { asDeclared } from '../../unsafe-casts.ts';
import type { ForeignToolOptions } from '../foreign-tool.ts';

/** A function tool of the OpenAI Agents SDK, as `tool()` of `@openai/agents` returns it. */
export interface OpenAiAgentsToolInput<Name extends string = string> {
  /** The name of the tool. */
  readonly name: Name;
  /** What the tool does. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly parameters: object;
  /** Asks the vendor to hold the model to the schema. */
  readonly strict?: boolean | undefined;
  /** Does the work. */
  readonly invoke: (runContext: never, input: string, details?: never) => Promise<unknown>;
}

/**
 * Binds a function tool of the OpenAI Agents SDK. Its arguments are validated and repaired, and its time is limited, as those of any tool here.
 *
 * It gets a run context with only the `context` of the run. A failure that its `errorFunction` turns into text (the default) is an ordinary result.
 */
export function fromOpenAiAgentsTool<const Name extends string>(
  tool: OpenAiAgentsToolInput<Name>,
  { effect, ...options }: ForeignToolOptions = {},
): ToolBinding<Name> {
  const { name, description, parameters, strict } = tool;
  const described = { name, description, parameters: { ...parameters }, ...(effect === undefined ? {} : { effect }) };
  return bindTool(
    { ...described, ...(strict === undefined ? {} : { strict }) },
    (input: object, { context, signal }: ToolContext) =>
      tool.invoke(asDeclared({ context }), JSON.stringify(input), asDeclared({ signal })),
    options,
  );
}
