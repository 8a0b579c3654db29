import {
  type JsonSchema,
  KernelError,
  type Tool,
  type ToolEffect,
  type ToolMetadata,
  type ToolOptionality,
} from '@kernel/protocol';
import type { ToolBinding } from './binding.ts';
import { type Validator, compileSchema } from '../schema/compile-schema.ts';
import { freezeCopy, invalid } from '../schema/freeze-copy.ts';
import { inspectSchema } from '../schema/inspect-schema.ts';
import { isSchemaObject } from '../schema/schema-index.ts';

const EFFECTS: readonly ToolEffect[] = ['read', 'idempotent', 'write', 'external'];
const OPTIONALITIES: readonly ToolOptionality[] = ['required', 'optional', 'conditional'];

/** A description made safe: a frozen copy, checked whole, and its validator. */
export interface Described {
  readonly tool: Tool;
  /** Compiled at the first use, once. */
  readonly validator: () => Validator;
  readonly output?: () => Validator;
}

/** Copies, checks and freezes a description. Throws `TOOL_SCHEMA_INVALID` that names the tool, the part and the place. */
export function describeTool(given: Tool): Described {
  const isTool = typeof given === 'object' && given !== null;
  if (!isTool)
    throw new KernelError('CONFIG_INVALID', `A tool must be an object, not ${given === null ? 'null' : typeof given}.`);
  const name: unknown = given.name;
  const what = `Tool "${typeof name === 'string' && name.trim() !== '' ? name.slice(0, 80) : '<unnamed>'}"`;
  const parameters = objectSchema(given.parameters, `${what}, parameters`);
  const outputSchema =
    given.outputSchema === undefined ? undefined : objectOrAny(given.outputSchema, `${what}, outputSchema`);
  const metadata = metadataOf(given, what);
  checkFields(given, what);
  const tool = Object.freeze({
    name: typeof name === 'string' ? name : '',
    description: given.description,
    parameters,
    ...(given.title === undefined ? {} : { title: given.title }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(given.strict === undefined ? {} : { strict: given.strict }),
    ...(given.effect === undefined ? {} : { effect: given.effect }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  const validator = once(() => compileSchema(parameters));
  checkExamples(tool, what, validator);
  return {
    tool,
    validator,
    ...(outputSchema === undefined ? {} : { output: once(() => compileSchema(outputSchema)) }),
  };
}

/** Returns a function that makes its value at the first call and then keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Copies and checks the schema of an object. `{}` and a root with `properties` but without `type` count as one. */
function objectSchema(given: unknown, what: string): JsonSchema {
  const copy = freezeCopy(given, what);
  if (!isSchemaObject(copy)) throw invalid(what, '', 'must be a JSON Schema of an object');
  const schema = withObjectType(copy);
  inspectSchema(schema, what);
  if (schema['type'] !== 'object') {
    throw invalid(
      what,
      '/type',
      `must be "object", not ${JSON.stringify(schema['type'])}`,
      'Wrap the value in an object with one property.',
    );
  }
  return schema;
}

function objectOrAny(given: unknown, what: string): JsonSchema {
  const copy = freezeCopy(given, what);
  if (!isSchemaObject(copy)) throw invalid(what, '', 'must be a JSON Schema');
  inspectSchema(copy, what);
  return copy;
}

function withObjectType(schema: JsonSchema): JsonSchema {
  if (schema['type'] !== undefined) return schema;
  const empty = Object.keys(schema).length === 0;
  return Object.freeze({ type: 'object', ...(empty ? { properties: Object.freeze({}) } : {}), ...schema });
}

function checkFields(given: Tool, what: string): void {
  const fields: readonly (readonly [string, unknown, boolean])[] = [
    ['name', given.name, typeof given.name === 'string'],
    ['description', given.description, typeof given.description === 'string'],
    ['title', given.title, given.title === undefined || typeof given.title === 'string'],
    ['strict', given.strict, given.strict === undefined || typeof given.strict === 'boolean'],
    ['effect', given.effect, given.effect === undefined || EFFECTS.includes(given.effect)],
  ];
  for (const [field, value, ok] of fields) {
    if (!ok)
      throw invalid(
        what,
        `/${field}`,
        `has a wrong value: ${shown(value)}`,
        field === 'effect' ? `Use one of ${EFFECTS.join(', ')}.` : undefined,
      );
  }
}

/** Returns a tool's metadata merged anew, checked whole against the tool's parameters. Throws `TOOL_SCHEMA_INVALID`. */
export function checkedMetadata(tool: Tool, binding: Pick<ToolBinding, 'input' | 'when'>): ToolMetadata | undefined {
  const what = `Tool "${tool.name}"`;
  const metadata = metadataOf(tool, what);
  checkExamples(tool, what, binding.input.validator);
  checkCondition(tool, binding.when);
  return metadata;
}

/** Throws `TOOL_SCHEMA_INVALID` for a conditional tool without a condition. */
export function checkCondition(tool: Tool, when: ToolBinding['when']): void {
  if (tool.metadata?.optionality !== 'conditional' || when !== undefined) return;
  throw new KernelError('TOOL_SCHEMA_INVALID', `Tool "${tool.name}" is conditional but has no condition.`, {
    hint: 'Give `when: (turn) => boolean` beside the handler, or another optionality.',
    data: { pointer: '/metadata/optionality' },
  });
}

function metadataOf(given: Tool, what: string): ToolMetadata | undefined {
  if (given.metadata === undefined) return undefined;
  const metadata = freezeCopy(given.metadata, `${what}, metadata`);
  if (!isSchemaObject(metadata)) throw invalid(what, '/metadata', 'must be an object');
  for (const [field, value] of Object.entries(metadata)) {
    const check = METADATA.get(field);
    const hint = check === undefined ? `Known fields are ${[...METADATA.keys()].join(', ')}.` : check.hint;
    if (check?.test(value) !== true)
      throw invalid(what, `/metadata/${field}`, `has a wrong value: ${shown(value)}`, hint);
  }
  return metadata; // every field has just been checked
}

function checkExamples(tool: Tool, what: string, validator: () => Validator): void {
  for (const [index, example] of (tool.metadata?.examples ?? []).entries()) {
    const [fault] = validator().faults(example.input);
    if (fault === undefined) continue;
    const where = `example "${example.description.slice(0, 60)}" at "${fault.path === '' ? '/' : fault.path}"`;
    const problem = `does not fit the parameters: ${where} should be ${fault.expected}`;
    throw invalid(what, `/metadata/examples/${index}/input${fault.path}`, problem);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isExample = (value: unknown): boolean =>
  isSchemaObject(value) &&
  isText(value['description']) &&
  isSchemaObject(value['input']) &&
  (value['output'] === undefined || isText(value['output']));

const METADATA: ReadonlyMap<string, { readonly test: (value: unknown) => boolean; readonly hint: string }> = new Map([
  ['category', { test: isText, hint: 'A category is a word, such as "code".' }],
  [
    'optionality',
    {
      test: (value: unknown) => OPTIONALITIES.some((name) => name === value),
      hint: `Use one of ${OPTIONALITIES.join(', ')}.`,
    },
  ],
  ['usageHint', { test: isText, hint: 'A usage hint is a sentence.' }],
  [
    'examples',
    {
      test: (value: unknown) => Array.isArray(value) && value.every((item) => isExample(item)),
      hint: 'Each example is { description, input, output? }.',
    },
  ],
  ['requires', { test: isTexts, hint: 'A list of capability names.' }],
  ['tags', { test: isTexts, hint: 'A list of words.' }],
]);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
