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

/**
 * The arguments of a call in the history as the JSON text of an object, for wires that take text: as the model wrote it, if it is one. Servers that parse it
 * refuse anything else, and with it each later request. @internal
 */
export function argumentsText(call: ToolCall): string {
  return asFields(parseJson(call.arguments)) === undefined ? JSON.stringify(argumentsObject(call)) : call.arguments;
}
