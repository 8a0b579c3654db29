import { isObject, parseJson } from '@kernel/internal';
import { KernelError, type Message, textOf, type ToolCall, toolCallsOf, type ToolMessage } from '@kernel/protocol';
import { wordsOf } from '../language/words.ts';
import type { Plan } from '../planning/plan-calls.ts';

/**
 * Writes the answer from the results of the calls: their own text, labelled if there are several. Throws `TOOL_FAILED` if a call failed, since a
 * part is not what was asked for; its message has the text of all of them, with failures marked as such.
 */
export function writeAnswer(results: readonly ToolMessage[], messages: readonly Message[], plan: Plan): string {
  const calls = new Map(messages.flatMap(toolCallsOf).map((call) => [call.id, call]));
  const parts = results.map((result) => {
    const call = calls.get(result.toolCallId);
    const planned = plan.calls.find(
      ({ tool, input }) => tool.name === call?.name && JSON.stringify(input) === call.arguments,
    );
    const text = resultText(result, planned?.fields ?? []);
    return results.length === 1 ? text : `${labelOf(result, call)}:\n${text}`;
  });
  const answer = parts.join('\n\n');
  if (results.every(({ isError }) => isError !== true)) return answer;
  throw new KernelError('TOOL_FAILED', answer, {
    data: { provider: 'offline', tools: results.map(({ name }) => name) },
  });
}

function resultText(result: ToolMessage, fields: readonly string[]): string {
  const text = textOf(result);
  // An error result begins with its code, which is for models.
  if (result.isError === true) return `The tool ${result.name} failed: ${text.replace(/^[A-Z]+(?:_[A-Z]+)+: /, '')}`;
  if (fields.length === 0) return text === '' ? `The tool ${result.name} answered with no text.` : text;
  const values = fields.map((field) => fieldOf(text, field));
  const found = values.map((value, index) => value ?? `(No field "${fields[index]}" found at its top level.)`);
  return values.includes(undefined) ? [`${text.trimEnd()}\n`, ...found].join('\n') : found.join('\n');
}

/** A field at the top level of JSON text, by its words: `package manager` finds `packageManager`. */
function fieldOf(text: string, field: string): string | undefined {
  const wanted = wordsOf(field).join(' ');
  const entry = Object.entries(parseObject(text)).find(([key]) => wordsOf(key).join(' ') === wanted);
  if (entry === undefined) return undefined;
  return typeof entry[1] === 'string' ? entry[1] : JSON.stringify(entry[1], null, 2);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

function labelOf({ name }: ToolMessage, call: ToolCall | undefined): string {
  const input = Object.values(parseObject(call?.arguments ?? ''));
  const values = input.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return values.length === 0 ? name : `${name} (${values.join(', ')})`;
}
