import type { ToolCall } from '@kernel/protocol';
import { asFields, type Fields, parseJson } from '../json-fields.ts';

/** The arguments of a call of the history as an object, for wires that take no text. Text that is no object goes as one field, so that nothing is hidden. @internal */
export function callInput(call: ToolCall): Fields {
  if (call.arguments.trim() === '') return {};
  return asFields(parseJson(call.arguments)) ?? { unreadable_arguments: call.arguments };
}
