import { parseJson } from '@kernel/internal';
import type { JsonValue, SandboxResult, ToolMessage, ToolResult } from '@kernel/protocol';

/**
 * Returns the result of a call as a program gets it: the model's text of it is JSON of its data, or else of its text; with media an object of both. The history
 * of the program's run keeps it, so that the program gets the same again when it goes on in another process. A person reads the text of the tool all the same.
 */
export function toProgramResult(result: ToolResult): ToolResult {
  if (result.isError === true) return result;
  const { media, ...rest } = result;
  const text = textOf(result);
  const value: JsonValue = result.data === undefined ? text : result.data;
  const hasMedia = media !== undefined && media.length > 0;
  const json = JSON.stringify(hasMedia ? { value, media } : value);
  return { forUser: text, ...rest, forLLM: json };
}

/** The text that a tool returned, without the line that tells a model which of its arguments were repaired. */
function textOf({ forLLM, repairs }: ToolResult): string {
  const at = repairs === undefined ? -1 : forLLM.lastIndexOf('\n(Repaired arguments: ');
  return at < 0 ? forLLM : forLLM.slice(0, at);
}

/** Reads the message of a call back. A note that approval has added stands before the JSON. */
export function resultOf(message: ToolMessage | undefined): SandboxResult {
  if (message === undefined) return { error: 'The call has no result.' };
  const { content, isError } = message;
  const text =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');
  if (isError === true) return { error: text };
  const json = text.slice(text.lastIndexOf('\n') + 1);
  return parseJson(json) === undefined ? { value: JSON.stringify(text) } : { value: json };
}
