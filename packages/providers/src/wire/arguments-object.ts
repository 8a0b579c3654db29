import { type ToolCall, unwrapArguments } from '@kernel/protocol';
import { asFields, type Fields, parseJson } from '../json-fields.ts';

/**
 * The arguments of a call in the history as an object, for wires that do not take text. An object encoded twice is decoded twice; any other
 * text becomes one field, so that nothing is hidden from the model. @internal
 */
export function argumentsObject({ arguments: text }: ToolCall): Fields {
  const json = unwrapArguments(text);
  if (json.trim() === '') return {};
  return asFields(parseJson(json)) ?? { unreadable_arguments: text };
}
