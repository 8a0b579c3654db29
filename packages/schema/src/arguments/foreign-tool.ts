import type { JsonSchema, Tool } from '@kernel/protocol';
import { compileSchema, type Validator } from '../validator/compile-schema.ts';
import { inspectSchema } from '../validator/inspect-schema.ts';
import { ACCEPTS_ALL, type ValidatedTool } from './validate.ts';

const known = new WeakMap<JsonSchema, Validator>();

/**
 * A tool that another toolset runs, for `validateArguments`. Its schema is checked and compiled at the first call: one that is wrong, remote or unsafe
 * is left to that toolset, which gets what the model sent.
 */
export function foreignTool(tool: Tool): ValidatedTool {
  return { tool, input: { validator: () => validatorOf(tool) } };
}

function validatorOf({ name, parameters }: Tool): Validator {
  const existing = known.get(parameters);
  if (existing !== undefined) return existing;
  let validator = ACCEPTS_ALL;
  try {
    inspectSchema(parameters, name);
    validator = compileSchema(parameters);
  } catch {
    // Nobody here can change the schema, and the other toolset may read it in its own way.
  }
  known.set(parameters, validator);
  return validator;
}
