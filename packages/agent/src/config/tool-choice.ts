import { isObject, sliceHead } from '@kernel/internal';
import { type JsonObject, type JsonValue, KernelError, type ToolChoice } from '@kernel/protocol';

/** Model options without `tool_choice`, and the choice itself. */
export interface ExtractedToolChoice {
  /** The other options. */
  readonly options: JsonObject;
  /** The choice of `tool_choice` or `toolChoice`, if there is one. */
  readonly toolChoice?: ToolChoice;
}

/** Extracts `tool_choice`, as configs of other programs spell it, from model options. Throws `CONFIG_INVALID` for an invalid choice. */
export function extractToolChoice(options: JsonObject): ExtractedToolChoice {
  const { tool_choice: snakeCase, toolChoice = snakeCase, ...rest } = options;
  return toolChoice === undefined || toolChoice === null
    ? { options: rest }
    : { options: rest, toolChoice: toToolChoice(toolChoice) };
}

function toToolChoice(value: JsonValue): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return value;
  // As chat completions write it: { type: "function", function: { name } }.
  const named = isObject(value) && isObject(value['function']) ? value['function'] : value;
  if (isObject(named) && typeof named['name'] === 'string') return { name: named['name'] };
  throw new KernelError('CONFIG_INVALID', `tool_choice is ${sliceHead(JSON.stringify(value) ?? '', 80)}.`, {
    hint: 'Write "auto", "none", "required" or { "name": "…" }.',
  });
}
