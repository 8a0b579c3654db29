import type { ToolCall } from '@kernel/protocol';
import { asFields, type Fields, parseJson } from '../json-fields.ts';

/**
 * The arguments of a call in the history as an object, for wires that do not take text. An object encoded twice is decoded twice; any other
 * text becomes one field, so that nothing is hidden from the model. @internal
 */
export function argumentsObject({ arguments: text }: ToolCall): Fields {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  const object = asFields(typeof value === 'string' ? parseJson(value) : value);
  return object ?? { unreadable_arguments: text };
}
