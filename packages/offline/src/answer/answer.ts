import { isObject, parseJson, truncate } from '@kernel/internal';
import { KernelError, type Message, textOf, type ToolCall, toolCallsOf, type ToolMessage } from '@kernel/protocol';
import { wordsOf } from '../language/lexicon.ts';
import type { Candidate } from '../matching/match-words.ts';
import type { Ask, Plan } from '../planning/plan-calls.ts';

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

const HOW_TO_GET_A_MODEL = 'For anything else use a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama.';

/** How many tools a refusal shows. */
const MAX_LISTED = 10;

/** The error for a prompt that no tool on offer fits. It says what offline is, what it can do here, and how to get a model. */
export function refusal(
  { prompt, material }: Ask,
  candidates: readonly Candidate[],
  { calls, negation, unmatched }: Plan,
): KernelError {
  // Of a prompt of which a part fits, the other part is the reason.
  const asked = truncate(calls.length > 0 ? unmatched : prompt, 80);
  const problem =
    negation === undefined
      ? `no tool on offer that only reads fits "${asked}"${material === undefined ? '' : ', asked of what came with it'}`
      : `it does not understand "${negation}" in "${asked}", which may change what you ask for`;
  return new KernelError('PROVIDER_REFUSED', `Offline can't do this: it has no language model, and ${problem}.`, {
    hint: `${abilities(candidates)}${HOW_TO_GET_A_MODEL}`,
    data: { provider: 'offline', tools: candidates.map(({ tool }) => tool.name) },
  });
}

/**
 * A request to try for each tool, as a person writes it, and the names of the tools that have none: a few lines,
 * because it is printed to people.
 */
function abilities(candidates: readonly Candidate[]): string {
  if (candidates.length === 0) return 'It works only with tools, and none is offered. ';
  const examples: string[] = [];
  const names: string[] = [];
  for (const { tool, phrases } of candidates) {
    const example = tool.metadata?.examples?.[0]?.description ?? phrases.find((each) => each.example)?.example;
    if (example === undefined) names.push(tool.name);
    else examples.push(`"${example}"`);
  }
  return [
    ...(examples.length === 0 ? [] : [`Try: ${listed(examples)}\n`]),
    ...(names.length === 0 ? [] : [`${examples.length === 0 ? 'It can use' : 'It can also use'} ${listed(names)}.\n`]),
  ].join('');
}

function listed(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? ` and ${texts.length - MAX_LISTED} more` : '';
  return `${texts.slice(0, MAX_LISTED).join(', ')}${more}`;
}
