import {
  type CallContext,
  isRepeatable,
  validatesCalls,
  type JsonSchema,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  toModelText,
  type ToolRepair,
} from '@kernel/protocol';
import { compileSchema, type Validator } from '../validator/compile-schema.ts';
import { inspectSchema } from '../validator/inspect-schema.ts';
import { usableSchema } from '../validator/usable-schema.ts';
import type { RawArguments } from './parse.ts';
import { validateArguments, type RepairPolicy, type ValidatedArguments } from './validate.ts';
import { truncate } from '@kernel/internal';

/**
 * Validates the arguments of a tool that another toolset or a server runs, and repairs them. What the schema does not mention is passed on, and so is what
 * stands under a part of it that is wrong, remote or unsafe: who runs the tool decides on it. Never throws.
 */
export function validateForeign(tool: Tool, raw: RawArguments, repair: RepairPolicy = 'apply'): ValidatedArguments {
  const target = { tool, input: { validator: () => validatorOf(tool) } };
  const validated = validateArguments(target, raw, { repair, unknownProperties: 'passthrough' });
  // Only a schema library is asynchronous, and a foreign tool has none.
  return validated instanceof Promise ? { input: raw, repairs: [], notes: [] } : validated;
}

/** Does the same for a toolset that gets text, as `input`: the model's own, unless something was repaired. */
export function validateForeignText(tool: Tool, raw: RawArguments, repair?: RepairPolicy): ValidatedArguments {
  const validated = validateForeign(tool, raw, repair);
  // A toolset whose tool may be called again may read exactly what would be rounded here.
  const isRounded = validated.error?.data?.['number'] !== undefined && isRepeatable(tool.effect);
  if (typeof raw === 'string' && (isRounded || (validated.error === undefined && validated.repairs.length === 0)))
    return { input: raw, repairs: [], notes: [] };
  return validated.error === undefined ? { ...validated, input: JSON.stringify(validated.input) } : validated;
}

/** Runs a call of a tool on offer through its toolset, with arguments that fit the schema. Rejects only as the toolset does. */
export async function callValidated<Context>(
  tools: Toolset<Context>,
  tool: Tool,
  call: ToolCall,
  context: CallContext<Context>,
): Promise<ToolResult> {
  if (validatesCalls(tools)) return tools.call(call, context);
  const validated = validateForeignText(tool, call.arguments);
  if (validated.error !== undefined) return annotateResult(toErrorResult(validated.error), validated);
  return annotateResult(await tools.call({ ...call, arguments: String(validated.input) }, context), validated);
}

const ACCEPTS_ALL: Validator = { test: () => true, issues: () => [] };
const validators = new WeakMap<JsonSchema, Validator>();

function validatorOf({ name, parameters }: Tool): Validator {
  const known = validators.get(parameters);
  if (known !== undefined) return known;
  // Nobody here can change the schema, and the toolset may read it in its own way.
  const validator = compiled(parameters, name) ?? compiled(() => usableSchema(parameters), name) ?? ACCEPTS_ALL;
  validators.set(parameters, validator);
  return validator;
}

function compiled(given: JsonSchema | (() => JsonSchema), name: string): Validator | undefined {
  try {
    const schema = typeof given === 'function' ? given() : given;
    inspectSchema(schema, name);
    return compileSchema(schema);
  } catch {
    return undefined;
  }
}

const MAX_REPAIRS = 5;
const MAX_PATH = 60;

/** Adds what validation changed to a result: as `repairs`, and as a note for the model if the handler ran with the changes. */
export function annotateResult(result: ToolResult, { error, repairs, notes }: ValidatedArguments): ToolResult {
  if (repairs.length === 0 && notes.length === 0) return result;
  const sentences = error === undefined && repairs.length > 0 ? [repairNote(repairs), ...notes] : notes;
  const forLLM = sentences.length === 0 ? result.forLLM : `${toModelText(result)}\n(${sentences.join(' ')})`;
  return { ...result, forLLM, ...(repairs.length === 0 ? {} : { repairs }) };
}

/** Leaves the values out: they may be long, or secret. */
function repairNote(repairs: readonly ToolRepair[]): string {
  const shown = repairs.slice(0, MAX_REPAIRS).map(({ path, rule }) => `${truncate(path || '/', MAX_PATH)} ${rule}`);
  const more = repairs.length > MAX_REPAIRS ? `, and ${repairs.length - MAX_REPAIRS} more` : '';
  return `Repaired arguments: ${shown.join(', ')}${more}.`;
}
