import { KernelError, type ToolContext } from '@kernel/protocol';
import { bindTool } from '../../tool/bind-tool.ts';
import type { ToolBinding, ToolCondition } from '../../tool/binding.ts';
import { asDeclared } from '../../unsafe-casts.ts';
import { type ForeignToolOptions, withApprovalCheck, withEnabledCheck } from '../foreign-tool.ts';

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
  /** Whether a call needs an approval. */
  readonly needsApproval?: ((runContext: never, input: never, callId?: string) => Promise<boolean>) | undefined;
  /** Whether the tool can be used. */
  readonly isEnabled?: ((runContext: never, agent: never) => Promise<boolean>) | undefined;
  /** Checks of calls, which only an agent of the SDK runs. */
  readonly inputGuardrails?: readonly unknown[] | undefined;
  /** Checks of results, which only an agent of the SDK runs. */
  readonly outputGuardrails?: readonly unknown[] | undefined;
}

/**
 * Binds a function tool of the OpenAI Agents SDK. Its arguments are validated and repaired, and its time is limited, as those of any tool here.
 *
 * It gets a run context with only the `context` of the run. A failure that its `errorFunction` turns into text (the default) is an ordinary result. A call
 * that `needsApproval` never runs unasked, unless `effect` is given. With a function as `isEnabled`, the tool is on offer in the turns in which
 * that holds; without, a call of a disabled tool is denied. Throws `CONFIG_INVALID` for a tool with guardrails.
 */
export function fromOpenAiAgentsTool<const Name extends string>(
  tool: OpenAiAgentsToolInput<Name>,
  { effect, ...options }: ForeignToolOptions = {},
): ToolBinding<Name> {
  const { name, description, parameters, strict, needsApproval, isEnabled } = tool;
  if ((tool.inputGuardrails ?? []).length + (tool.outputGuardrails ?? []).length > 0)
    throw new KernelError(
      'CONFIG_INVALID',
      `The tool "${name}" of OpenAI Agents has guardrails, which do not run here.`,
      {
        hint: 'Check its calls with withHooks of @kernel/agent, and pass the tool without them.',
      },
    );
  const condition = conditionOf(isEnabled, options.when);
  const binding = bindTool(
    {
      name,
      description,
      parameters: { ...parameters },
      ...(effect === undefined ? {} : { effect }),
      ...(strict === undefined ? {} : { strict }),
      ...(condition === undefined ? {} : { metadata: { optionality: 'conditional' } }),
    },
    withEnabledCheck(
      name,
      (input, { context, signal }: ToolContext) =>
        tool.invoke(asDeclared({ context }), JSON.stringify(input), asDeclared({ signal })),
      isEnabled && (({ context }) => isEnabled(asDeclared({ context }), asDeclared(undefined))),
    ),
    condition === undefined ? options : { ...options, when: condition },
  );
  return withApprovalCheck(
    binding,
    effect === undefined && needsApproval !== undefined
      ? (input, { context, callId }) => needsApproval(asDeclared({ context }), asDeclared(input), callId)
      : undefined,
  );
}

/** Returns a function that looks at the run as a condition; what `tool()` makes of a boolean has no parameters, and is none. */
function conditionOf(
  isEnabled: OpenAiAgentsToolInput['isEnabled'],
  when: ToolCondition | undefined,
): ToolCondition | undefined {
  if (isEnabled === undefined || isEnabled.length === 0) return undefined;
  return async (turn) =>
    (await isEnabled(asDeclared({ context: turn.context }), asDeclared(undefined))) &&
    (when === undefined || when(turn));
}
