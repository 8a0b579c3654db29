import type { Tool } from '@kernel/protocol';
import { asFields, parseJson } from '../json-fields.ts';
import { skipSpace } from './json-text.ts';

/**
 * The JSON text of an argument that was written between tags: text if the schema of the parameter wants text; else JSON if it is valid JSON,
 * a constant if it is one of Python, and text.
 */
export function taggedValueJson(value: string, tool: Tool | undefined, key: string): string {
  const properties = asFields(tool?.parameters['properties']);
  const schema = asFields(properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined);
  if (schema?.['type'] === 'string') return JSON.stringify(value);
  if (parseJson(value) !== undefined) return value.trim();
  const word = value.trim();
  if (word === 'None') return 'null';
  return word === 'True' || word === 'False' ? word.toLowerCase() : JSON.stringify(value);
}

/** An argument as it is written between tags: text as it is, any other value as JSON. */
export function taggedValue(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : json;
}

/**
 * The index of the closing tag of a value that begins at `from`, which may contain that tag: the first after which, apart from white space,
 * `isNext` finds what may follow. Undefined if there is none.
 */
export function endOfTaggedValue(
  text: string,
  from: number,
  close: string,
  isNext: (at: number) => boolean,
): number | undefined {
  for (let at = text.indexOf(close, from); at !== -1; at = text.indexOf(close, at + close.length))
    if (isNext(skipSpace(text, at + close.length))) return at;
  return undefined;
}
