import { onAbort } from '@kernel/internal';
import {
  type CallContext,
  changedCallError,
  checksCalls,
  isToolResult,
  KernelError,
  markChecksCalls,
  resultAfterAbort,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
  wrapToolset,
} from '@kernel/protocol';
import type * as Schema from '@kernel/schema';
import { findTool, isSameAsListed } from '../approval/validate-call.ts';
import { afterMicrotasks } from '../iteration/after-microtasks.ts';

/** A call as the model made it, and as the toolset gets it. */
interface CheckedCall {
  readonly original: ToolCall;
  readonly call: ToolCall;
  /** What was changed in its arguments; undefined if nothing was. */
  readonly validated?: Schema.ValidatedArguments;
  /** The call as the toolset itself has validated it. */
  readonly approved?: ValidatedCall | undefined;
}

type SchemaModule = Pick<typeof Schema, 'annotateResult' | 'validateForeignText'>;
let schemaModule: SchemaModule | undefined;

/**
 * Gives a toolset what a registry does for its calls: the arguments are validated by the schema of the tool, and repaired, before the call, and a result
 * that came only after an abort says so. Returns a toolset that does both itself as it is. Loads `@kernel/schema` with the first call.
 */
export function withCheckedCalls<Context>(tools: Toolset<Context>): Toolset<Context> {
  if (checksCalls(tools)) return tools;
  const checked = new WeakMap<ValidatedCall, CheckedCall>();

  const check = (
    call: ToolCall,
    { turn }: CallContext<Context>,
    { annotateResult, validateForeignText }: SchemaModule,
  ): CheckedCall | ToolResult => {
    const tool = findTool(tools, call.name, turn);
    if (tool === undefined) return { original: call, call };
    const validated = validateForeignText(tool, call.arguments);
    if (validated.error !== undefined) return annotateResult(toErrorResult(validated.error), validated);
    if (validated.repairs.length === 0) return { original: call, call };
    return { original: call, call: { ...call, arguments: String(validated.input) }, validated };
  };

  const run = async (
    { call, validated, approved }: CheckedCall,
    context: CallContext<Context>,
  ): Promise<ToolResult> => {
    const { approved: _approved, ...rest } = context;
    const result = await settled(tools.call(call, { ...rest, ...(approved && { approved }) }), call, context.signal);
    return validated === undefined || schemaModule === undefined || !isToolResult(result)
      ? result
      : schemaModule.annotateResult(result, validated);
  };

  return markChecksCalls(
    wrapToolset(tools, {
      async call(call, context) {
        const known = context.approved && checked.get(context.approved);
        const isSame = known?.original.name === call.name && known.original.arguments === call.arguments;
        if (context.approved !== undefined && !isSame) return toErrorResult(changedCallError(call.name), 'denied');
        // Loaded by now, except at the first call: calls reach the toolset in their order.
        const prepared = known ?? check(call, context, schemaModule ?? (await loadSchema()));
        return isToolResult(prepared) ? prepared : run(prepared, context);
      },
      async validate(call, context) {
        const prepared = check(call, context, schemaModule ?? (await loadSchema()));
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
    }),
  );
}

async function loadSchema(): Promise<SchemaModule> {
  return (schemaModule ??= await import('@kernel/schema'));
}

/** Settles like a call; a result that came only after an abort says so. */
function settled(work: Promise<ToolResult>, { name }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    let [hasEnded, wasAborted] = [false, false];
    let removeAbortListener: (() => void) | undefined;
    Promise.resolve(work)
      .finally(() => {
        hasEnded = true;
        removeAbortListener?.();
      })
      .then((result) => resolve(wasAborted && isToolResult(result) ? resultAfterAbort(result, name) : result))
      .catch(reject);
    // A call that has ended by now needs no listener.
    afterMicrotasks(() => {
      if (!hasEnded) removeAbortListener = onAbort(signal, () => (wasAborted = true));
    });
  });
}
