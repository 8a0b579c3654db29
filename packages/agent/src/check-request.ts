import { isObject } from '@kernel/internal';
import {
  checkKeys,
  checkPromptCache,
  checkProvider,
  describeType,
  describeValue,
  KernelError,
  optionKeys,
  type ResponseFormat,
} from '@kernel/protocol';

/** What a request of a run is made of, of whatever type: given with the run or for one of its turns. */
export type RequestFields = Readonly<
  Partial<Record<'provider' | 'model' | 'messages' | 'toolChoice' | 'options' | 'responseFormat' | 'cache', unknown>>
>;

export interface FieldSource {
  readonly owner: string;
  readonly gave: string;
}

const FORMAT_KEYS = optionKeys<ResponseFormat>({ name: true, schema: true, strict: true });

/** Throws `CONFIG_INVALID` for fields that no request can have. What is undefined is absent. */
export function checkRequestFields(source: FieldSource, fields: RequestFields): void {
  const { owner, gave } = source;
  const { provider, model, messages, options } = fields;
  if (provider !== undefined) checkProvider(owner, provider);
  if (model !== undefined && typeof model !== 'string')
    throw new KernelError('CONFIG_INVALID', `${gave} ${describeValue(model)} as its model.`, {
      hint: 'Pass the name of a model.',
    });
  if (messages !== undefined) checkMessages(source, messages);
  checkToolChoice(source, fields.toolChoice);
  if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options)))
    throw new KernelError('CONFIG_INVALID', `${gave} ${describeType(options)} as its options.`, {
      hint: 'Pass model options, such as { temperature: 0 }.',
    });
  checkResponseFormat(source, fields.responseFormat);
  checkPromptCache(owner, fields.cache);
}

function checkMessages({ owner, gave }: FieldSource, messages: unknown): void {
  if (!Array.isArray(messages))
    throw new KernelError('CONFIG_INVALID', `${gave} ${describeType(messages)} as its messages.`, {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  const invalid = messages.findIndex((message: unknown) => !isMessage(message));
  if (invalid !== -1)
    throw new KernelError('CONFIG_INVALID', `${owner}: messages[${invalid}] is not a message.`, {
      hint: 'A message has a role (system, user, assistant, tool) and content: text, or a list of parts.',
    });
}

function checkResponseFormat({ owner, gave }: FieldSource, format: unknown): void {
  if (format === undefined) return;
  checkKeys(owner, format, FORMAT_KEYS, 'responseFormat.');
  if (isObject(format) && typeof format['name'] === 'string' && isObject(format['schema'])) return;
  throw new KernelError('CONFIG_INVALID', `${gave} a responseFormat without a name and a schema.`, {
    hint: 'Pass { name, schema }, or a schema as "output" for an answer that is validated.',
  });
}

function checkToolChoice({ gave }: FieldSource, choice: unknown): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return;
  if (isObject(choice) && typeof choice['name'] === 'string') return;
  throw new KernelError('CONFIG_INVALID', `${gave} ${describeValue(choice)} as its toolChoice.`, {
    hint: choice === 'any' ? 'Use "required".' : 'Pass "auto", "none", "required" or { name: "…" }.',
  });
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function isMessage(value: unknown): boolean {
  if (!isObject(value) || !ROLES.has(value['role'])) return false;
  if (Array.isArray(value['content'])) return true;
  return typeof value['content'] === 'string' && value['role'] !== 'assistant';
}
