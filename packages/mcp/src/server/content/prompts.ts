import { isObject } from '@kernel/internal';
import type { MediaPart, Message } from '@kernel/protocol';
import type { ContentBlock, McpServer, PromptMessage, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, rpcError } from '../../json-rpc.ts';

/** A text that is prepared for the user to choose, with places for values. */
export interface ServedPrompt {
  /** Its name, unique on the server. */
  readonly name: string;
  /** Its name for people. */
  readonly title?: string | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /** What it asks for. */
  readonly arguments?: readonly ServedPromptArgument[] | undefined;
  /** Returns what it becomes with these values: a text of the user, or messages. Clients see the message of an error. */
  readonly messages: (values: Readonly<Record<string, string>>) => PromptText | Promise<PromptText>;
}

/** What a prompt becomes: a text of the user, or messages. */
export type PromptText = string | readonly Message[];

/** What a prompt asks for. */
export interface ServedPromptArgument {
  /** Its name. */
  readonly name: string;
  /** What it means. */
  readonly description?: string | undefined;
  /** Whether the prompt can't do without it. Default false. */
  readonly required?: boolean | undefined;
}

type Values = Readonly<Record<string, string>>;

/** The longest value of an argument, in characters. */
const MAX_VALUE = 100_000;

export function registerPrompts(server: McpServer, prompts: readonly ServedPrompt[]): void {
  for (const prompt of prompts) {
    const { arguments: inputs = [], description, name, title } = prompt;
    const about = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
    const answer = async (values: Values): Promise<{ messages: PromptMessage[] }> => ({
      messages: toMessages(await textOf(prompt, values)),
    });
    if (inputs.length === 0) server.registerPrompt(name, about, () => answer({}));
    else server.registerPrompt(name, { ...about, argsSchema: schemaOf(inputs) }, answer);
  }
}

async function textOf({ messages, name }: ServedPrompt, values: Values): Promise<PromptText> {
  try {
    return await messages(values);
  } catch (error) {
    throw rpcError(INVALID_PARAMS, `The prompt "${name}" cannot be given: ${messageOf(error)}`, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.toWellFormed() : 'it failed.';
}

function toMessages(text: PromptText): PromptMessage[] {
  if (typeof text === 'string') return [{ role: 'user', content: { type: 'text', text: text.toWellFormed() } }];
  return text.flatMap(({ content, role }): PromptMessage[] => {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
    const blocks = parts.flatMap((part): ContentBlock[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text.toWellFormed() }];
      return 'mimeType' in part ? toBlock(part) : [];
    });
    return blocks.map((block) => ({ role: role === 'assistant' ? 'assistant' : 'user', content: block }));
  });
}

function toBlock({ data, mimeType, name = 'file', type }: MediaPart): ContentBlock[] {
  if (data === undefined) return [];
  if (type === 'image' || type === 'audio') return [{ type, data, mimeType }];
  return [
    { type: 'resource', resource: { uri: `file:///${encodeURIComponent(name.toWellFormed())}`, mimeType, blob: data } },
  ];
}

/** What the SDK lists and checks the arguments by. */
function schemaOf(inputs: readonly ServedPromptArgument[]): StandardSchemaWithJSON<Values, Values> {
  const properties = Object.fromEntries(
    inputs.map(({ description, name }) => [
      name,
      { type: 'string', ...(description === undefined ? {} : { description }) },
    ]),
  );
  const required = inputs.filter((each) => each.required === true).map(({ name }) => name);
  const jsonSchema = (): Record<string, unknown> => ({ type: 'object', properties, required });
  const validate = (given: unknown) => {
    const values = new Map(Object.entries(isObject(given) ? given : {}));
    const issues = inputs.flatMap(({ name }) => {
      const value = values.get(name);
      if (value === undefined) return required.includes(name) ? [{ message: `"${name}" is missing` }] : [];
      if (typeof value !== 'string') return [{ message: `"${name}" must be a string` }];
      return value.length > MAX_VALUE ? [{ message: `"${name}" has more than ${MAX_VALUE} characters` }] : [];
    });
    if (issues.length > 0) return { issues };
    const known = inputs.filter(({ name }) => values.has(name));
    return { value: Object.fromEntries(known.map(({ name }) => [name, String(values.get(name))])) };
  };
  return {
    '~standard': { version: 1, vendor: 'kernel', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } },
  };
}
