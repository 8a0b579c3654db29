import { isObject } from '@kernel/internal';
import {
  type CallContext,
  changedCallError,
  validatesCalls,
  isToolResult,
  type JsonSchema,
  KernelError,
  markValidatesCalls,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
  wrapToolset,
} from '@kernel/protocol';
import type * as Schema from '@kernel/schema';
import { isSameAsListed } from '../approval/validate-call.ts';
import { markNeedsAbortOutcome } from '../loop/call-toolset.ts';
import { findTool } from '../loop/offered-tools.ts';

/** A call with the arguments that it would be sent with. */
interface RepairedCall {
  readonly original: ToolCall;
  readonly call: ToolCall;
  /** What was changed in its arguments; undefined if nothing was. */
  readonly validated?: Schema.ValidatedArguments;
  readonly approved?: ValidatedCall | undefined;
}

type SchemaModule = Pick<typeof Schema, 'annotateResult' | 'validateForeignText'>;
let schemaModule: SchemaModule | undefined;

/**
 * Gives a toolset what a registry does for its calls: the arguments are validated by the schema of the tool, and repaired, before the call. Returns a
 * toolset that does that itself as it is. Loads `@kernel/schema` with the first call of a tool whose schema restricts its arguments.
 */
export function withValidatedCalls<Context>(tools: Toolset<Context>): Toolset<Context> {
  if (validatesCalls(tools)) return tools;
  const checked = new WeakMap<ValidatedCall, RepairedCall>();

  /** Not asynchronous once the module is loaded: calls reach the toolset in their order. */
  const check = (
    call: ToolCall,
    { turn }: CallContext<Context>,
  ): RepairedCall | ToolResult | Promise<RepairedCall | ToolResult> => {
    const tool = findTool(tools, call.name, turn);
    if (tool === undefined || isOpen(tool.parameters)) return { original: call, call };
    const validate = ({ annotateResult, validateForeignText }: SchemaModule): RepairedCall | ToolResult => {
      const validated = validateForeignText(tool, call.arguments);
      if (validated.error !== undefined) return annotateResult(toErrorResult(validated.error), validated);
      if (validated.repairs.length === 0) return { original: call, call };
      return { original: call, call: { ...call, arguments: String(validated.input) }, validated };
    };
    return schemaModule === undefined ? loadSchema().then(validate) : validate(schemaModule);
  };

  const begin = (prepared: RepairedCall | ToolResult, context: CallContext<Context>): Promise<ToolResult> => {
    if (isToolResult(prepared)) return Promise.resolve(prepared);
    const { call, validated, approved } = prepared;
    const { approved: own, ...rest } = context;
    const running = tools.call(call, own === undefined ? context : { ...rest, ...(approved && { approved }) });
    if (validated === undefined) return running;
    return running.then((result) =>
      isToolResult(result) ? (schemaModule?.annotateResult(result, validated) ?? result) : result,
    );
  };

  const wrapped = wrapToolset(tools, {
    call(call, context) {
      const known = context.approved && checked.get(context.approved);
      const isSame = known?.original.name === call.name && known.original.arguments === call.arguments;
      if (context.approved !== undefined && !isSame)
        return Promise.resolve(toErrorResult(changedCallError(call.name), 'denied'));
      const prepared = known ?? check(call, context);
      return prepared instanceof Promise ? prepared.then((ready) => begin(ready, context)) : begin(prepared, context);
    },
    async validate(call, context) {
      const prepared = await check(call, context);
      if (isToolResult(prepared)) return prepared;
      const approved = await tools.validate?.(prepared.call, context);
      if (approved !== undefined && isToolResult(approved)) return approved;
      const tool = approved?.tool ?? findTool(tools, call.name, context.turn);
      if (tool === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
      const isCurrent = approved === undefined ? isSameAsListed(tools, tool, undefined) : () => approved.isCurrent();
      const validated = Object.freeze({ tool, arguments: approved?.arguments ?? prepared.call.arguments, isCurrent });
      checked.set(validated, { ...prepared, approved });
      return validated;
    },
  });
  return markNeedsAbortOutcome(markValidatesCalls(wrapped));
}

async function loadSchema(): Promise<SchemaModule> {
  return (schemaModule ??= await import('@kernel/schema'));
}

/** Whether a schema takes every object, so that nothing is to be validated. */
function isOpen(schema: JsonSchema): boolean {
  return Object.entries(schema).every(([key, value]) => {
    if (key === 'properties') return isObject(value) && Object.keys(value).length === 0;
    return key === 'type' ? value === 'object' : key === 'description' || key === 'title' || key === '$schema';
  });
}
