import type { Tool } from '@kernel/protocol';
import { asFields, parseJson } from '../json-fields.ts';
import { skipSpace } from './json-text.ts';

/** Text if the schema of the parameter wants text; else JSON if it is valid JSON, a constant if it is one of Python, and text. */
export function taggedValueJson(value: string, tool: Tool | undefined, key: string): string {
  const properties = asFields(tool?.parameters['properties']);
  const schema = asFields(properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined);
  if (schema?.['type'] === 'string') return JSON.stringify(value);
  if (parseJson(value) !== undefined) return value.trim();
  const word = value.trim();
  if (word === 'None') return 'null';
  return word === 'True' || word === 'False' ? word.toLowerCase() : JSON.stringify(value);
}

export function taggedValue(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : json;
}

/** The value may contain the tag: the first after which, apart from white space, `isNext` finds what may follow. */
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
