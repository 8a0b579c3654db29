import { type ToolCall, unwrapArguments } from '@kernel/protocol';
import { asFields, type Fields, parseJson } from '../json-fields.ts';

/** An object encoded twice is decoded twice; any other text becomes one field, so that nothing is hidden from the model. */
export function argumentsObject({ arguments: text }: ToolCall): Fields {
  const json = unwrapArguments(text);
  if (json.trim() === '') return {};
  return asFields(parseJson(json)) ?? { unreadable_arguments: text };
}

/** As the model wrote it, if it is an object: servers that parse it refuse anything else, and with it each later request. */
export function argumentsText(call: ToolCall): string {
  return asFields(parseJson(call.arguments)) === undefined ? JSON.stringify(argumentsObject(call)) : call.arguments;
}
