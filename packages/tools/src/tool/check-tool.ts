import { isObject, truncate, sliceHead } from '@kernel/internal';
import {
  type JsonSchema,
  KernelError,
  type KeysOf,
  type Tool,
  type ToolEffect,
  type ToolMetadata,
  type ToolOptionality,
} from '@kernel/protocol';
import {
  compileSchema,
  deepFreezeCopy,
  inspectSchema,
  invalidSchema,
  isSchemaObject,
  type Validator,
} from '@kernel/schema';
import { once } from '../once.ts';
import type { ToolBinding } from './binding.ts';

const EFFECTS: readonly ToolEffect[] = ['read', 'idempotent', 'write', 'external'];
const OPTIONALITIES: readonly ToolOptionality[] = ['required', 'optional', 'conditional'];

export const TOOL_KEYS: KeysOf<Tool> = {
  name: true,
  description: true,
  parameters: true,
  title: true,
  outputSchema: true,
  strict: true,
  effect: true,
  metadata: true,
};

export interface CheckedTool {
  readonly tool: Tool;
  /** Returns the validator of the parameters, compiled at the first call. */
  readonly validator: () => Validator;
  /** Returns the validator of a result's data, compiled at the first call; absent without `outputSchema`. */
  readonly output?: () => Validator;
}

/** Copies, checks and freezes a tool. Throws `TOOL_SCHEMA_INVALID` that names the tool, the field and a JSON pointer. */
export function checkTool(input: Tool): CheckedTool {
  const isTool = typeof input === 'object' && input !== null;
  if (!isTool)
    throw new KernelError('CONFIG_INVALID', `A tool must be an object, not ${input === null ? 'null' : typeof input}.`);
  const name: unknown = input.name;
  const subject = `Tool "${typeof name === 'string' && name.trim() !== '' ? sliceHead(name, 80) : '<unnamed>'}"`;
  const parameters = checkParameters(input.parameters, `${subject}, parameters`);
  const outputSchema =
    input.outputSchema === undefined ? undefined : checkOutputSchema(input.outputSchema, `${subject}, outputSchema`);
  const metadata = copyMetadata(input, subject);
  checkFields(input, subject);
  const tool: Tool = Object.freeze({
    name: typeof name === 'string' ? name : '',
    description: input.description,
    parameters,
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(input.strict === undefined ? {} : { strict: input.strict }),
    ...(input.effect === undefined ? {} : { effect: input.effect }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  const validator = once(() => compileSchema(parameters));
  checkExamples(tool, subject, validator);
  return {
    tool,
    validator,
    ...(outputSchema === undefined ? {} : { output: once(() => compileSchema(outputSchema)) }),
  };
}

/** Copies and checks the schema of an object. A root without `type` gets `"type": "object"`. */
function checkParameters(input: unknown, subject: string): JsonSchema {
  if (input === undefined)
    throw invalidSchema(
      subject,
      '',
      'is missing',
      'A tool without parameters has { "type": "object", "properties": {} }.',
    );
  const copy = deepFreezeCopy(input, subject);
  if (!isSchemaObject(copy)) throw invalidSchema(subject, '', 'must be a JSON Schema of an object');
  const schema = withObjectType(copy);
  inspectSchema(schema, subject);
  if (schema['type'] !== 'object') {
    throw invalidSchema(
      subject,
      '/type',
      `must be "object", not ${JSON.stringify(schema['type'])}`,
      'Wrap the value in an object with one property.',
    );
  }
  return schema;
}

function checkOutputSchema(input: unknown, subject: string): JsonSchema {
  const copy = deepFreezeCopy(input, subject);
  if (!isSchemaObject(copy)) throw invalidSchema(subject, '', 'must be a JSON Schema');
  inspectSchema(copy, subject);
  return copy;
}

function withObjectType(schema: JsonSchema): JsonSchema {
  if (schema['type'] !== undefined) return schema;
  const empty = Object.keys(schema).length === 0;
  return Object.freeze({ type: 'object', ...(empty ? { properties: Object.freeze({}) } : {}), ...schema });
}

function checkFields(input: Tool, subject: string): void {
  const fields: readonly (readonly [string, unknown, boolean])[] = [
    ['name', input.name, typeof input.name === 'string'],
    ['description', input.description, typeof input.description === 'string'],
    ['title', input.title, input.title === undefined || typeof input.title === 'string'],
    ['strict', input.strict, input.strict === undefined || typeof input.strict === 'boolean'],
    ['effect', input.effect, input.effect === undefined || EFFECTS.includes(input.effect)],
  ];
  for (const [field, value, ok] of fields) {
    if (!ok)
      throw invalidSchema(
        subject,
        `/${field}`,
        `has an invalid value: ${show(value)}`,
        field === 'effect' ? `Use one of ${EFFECTS.join(', ')}.` : undefined,
      );
  }
}

/** Returns a checked, frozen copy of a tool's metadata. Throws `TOOL_SCHEMA_INVALID`, also if it does not match the binding. */
export function checkMetadata(tool: Tool, binding: Pick<ToolBinding, 'input' | 'when'>): ToolMetadata | undefined {
  const subject = `Tool "${tool.name}"`;
  const metadata = copyMetadata(tool, subject);
  checkExamples(tool, subject, binding.input.validator);
  checkCondition(tool, binding.when);
  return metadata;
}

/** Throws `TOOL_SCHEMA_INVALID` for a `conditional` tool without a condition. */
export function checkCondition(tool: Tool, when: ToolBinding['when']): void {
  if (tool.metadata?.optionality !== 'conditional' || when !== undefined) return;
  throw new KernelError('TOOL_SCHEMA_INVALID', `Tool "${tool.name}" is conditional but has no condition.`, {
    hint: 'Pass `when: (turn) => boolean` with the handler, or use another optionality.',
    data: { pointer: '/metadata/optionality' },
  });
}

function copyMetadata(input: Tool, subject: string): ToolMetadata | undefined {
  if (input.metadata === undefined) return undefined;
  const metadata = deepFreezeCopy(input.metadata, `${subject}, metadata`);
  if (!isSchemaObject(metadata)) throw invalidSchema(subject, '/metadata', 'must be an object');
  for (const [field, value] of Object.entries(metadata)) {
    const check = METADATA_CHECKS.get(field);
    const hint = check === undefined ? `Known fields are ${[...METADATA_CHECKS.keys()].join(', ')}.` : check.hint;
    if (check?.test(value) !== true)
      throw invalidSchema(subject, `/metadata/${field}`, `has an invalid value: ${show(value)}`, hint);
  }
  return metadata; // every field has been checked
}

function checkExamples(tool: Tool, subject: string, validator: () => Validator): void {
  for (const [index, example] of (tool.metadata?.examples ?? []).entries()) {
    const [issue] = validator().issues(example.input);
    if (issue === undefined) continue;
    const where = `example "${sliceHead(example.description, 60)}" at "${issue.path === '' ? '/' : issue.path}"`;
    const problem = `does not match the parameters: ${where} should be ${issue.expected}`;
    throw invalidSchema(subject, `/metadata/examples/${index}/input${issue.path}`, problem);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isExample = (value: unknown): boolean =>
  isObject(value) &&
  isText(value['description']) &&
  isObject(value['input']) &&
  (value['output'] === undefined || isText(value['output']));

const METADATA_CHECKS: ReadonlyMap<string, { readonly test: (value: unknown) => boolean; readonly hint: string }> =
  new Map([
    ['category', { test: isText, hint: 'Use a word, such as "code".' }],
    [
      'optionality',
      {
        test: (value: unknown) => OPTIONALITIES.some((name) => name === value),
        hint: `Use one of ${OPTIONALITIES.join(', ')}.`,
      },
    ],
    ['usageHint', { test: isText, hint: 'Use a sentence.' }],
    [
      'examples',
      {
        test: (value: unknown) => Array.isArray(value) && value.every((item) => isExample(item)),
        hint: 'Use an array of { description, input, output? }.',
      },
    ],
    ['requires', { test: isTexts, hint: 'Use an array of capability names.' }],
    ['tags', { test: isTexts, hint: 'Use an array of words.' }],
  ]);

function show(value: unknown): string {
  return truncate(JSON.stringify(value) ?? String(value), 60);
}
