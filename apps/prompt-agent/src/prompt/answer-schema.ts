import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject } from '@kernel/internal';
import type { JsonObject, JsonSchema } from '@kernel/protocol';
import { usageError } from '../exit-code.ts';
import { parseJson, requireText } from '../files/read-file.ts';
import type { Host } from '../host.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['string', 'string'],
  ['int', 'integer'],
  ['integer', 'integer'],
  ['float', 'number'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['boolean', 'boolean'],
]);

/**
 * Returns the JSON Schema of `--schema`: JSON text, a file of it, or a short form such as `name, age int, bio: a short text`. In the short form a property
 * is a string unless a type (`int`, `float`, `bool`, `str`) follows its name, and each is required. Rejects with a usage error.
 */
export async function loadAnswerSchema(given: string, { cwd }: Pick<Host, 'cwd'>): Promise<JsonSchema> {
  const text = given.trim();
  if (text.startsWith('{')) return parseSchema(text, 'the text');
  if (text.endsWith('.json') || existsSync(resolve(cwd, text))) {
    return parseSchema(await requireText(resolve(cwd, text), '--schema', text), `"${text}"`);
  }
  return shortForm(text);
}

function parseSchema(text: string, source: string): JsonSchema {
  const value = parseJson(text, `--schema: ${source}`);
  if (isObject(value)) return value;
  throw usageError(`--schema: ${source} is not a JSON object.`);
}

function shortForm(text: string): JsonSchema {
  const separator = text.includes('\n') ? '\n' : ',';
  const properties = new Map<string, JsonObject>();
  for (const entry of text.split(separator).map((each) => each.trim())) {
    if (entry === '') continue;
    const [, name = '', type = 'str', description = ''] =
      /^([A-Za-z_]\w*)(?:\s+(\w+))?\s*(?::(.*))?$/s.exec(entry) ?? [];
    const jsonType = TYPES.get(type);
    if (name === '' || jsonType === undefined)
      throw usageError(
        `--schema: "${entry}" must be a name, with a type (int, float, bool, str) and ": description" if you like.`,
      );
    if (properties.has(name)) throw usageError(`--schema: "${name}" is there twice.`);
    properties.set(name, {
      type: jsonType,
      ...(description.trim() === '' ? {} : { description: description.trim() }),
    });
  }
  const required = [...properties.keys()];
  if (required.length === 0) throw usageError('--schema names no property.');
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}
