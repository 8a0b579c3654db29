import { createLock, isObject, visible } from '@kernel/internal';
import type { McpAnswer, McpQuestion, McpUrlQuestion } from '@kernel/mcp';
import type { Output } from '../output/output.ts';
import { hasTerminal, type Terminal } from './ask.ts';
import { askAbout, confirm } from './question.ts';

type Value = string | number | boolean | readonly string[];

/** How often a value that does not fit is asked for again. */
const ATTEMPTS = 3;

/** Lets MCP servers ask the person at the terminal, one question after the other; nobody, where there is no terminal. */
export function answerServers(terminal: Terminal, output: Output) {
  if (!hasTerminal(terminal)) return {};
  const lock = createLock();
  return {
    elicit: (question: McpQuestion): Promise<McpAnswer> => lock(() => answer(terminal, output, question)),
    elicitUrl: ({ server, message, url, signal }: McpUrlQuestion): Promise<McpAnswer['action']> =>
      lock(async () => {
        const lines = [`MCP server "${visible(server)}" asks you to open a page: ${visible(message)}`, visible(url)];
        const hasOpened = await confirm(terminal, output, lines, 'Have you opened it, and go on?', signal);
        return hasOpened ? 'accept' : 'decline';
      }),
  };
}

async function answer(
  terminal: Terminal,
  output: Output,
  { server, message, schema, signal }: McpQuestion,
): Promise<McpAnswer> {
  const lines = [`MCP server "${visible(server)}" asks: ${visible(message)}`];
  const fields = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const names = fields.map(([name]) => visible(name)).join(', ');
  const what = fields.length === 0 ? 'Agree?' : `Answer it (${names})? What you type is sent to the server.`;
  if (!(await confirm(terminal, output, lines, what, signal))) return { action: 'decline' };
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const content: Record<string, Value> = {};
  for (const [name, field] of fields) {
    // oxlint-disable-next-line no-await-in-loop -- one field after the other
    const value = await askField(terminal, output, name, isObject(field) ? field : {}, required.includes(name), signal);
    if (value === 'cancel') return { action: 'cancel' };
    if (value !== undefined) content[name] = value.value;
  }
  return { action: 'accept', content };
}

type Field = Readonly<Record<string, unknown>>;

/** Asks for the value of a field; undefined for one that is left out, which then has its default. */
async function askField(
  terminal: Terminal,
  output: Output,
  name: string,
  field: Field,
  isRequired: boolean,
  signal: AbortSignal,
): Promise<{ readonly value: Value } | 'cancel' | undefined> {
  const choices = choicesOf(field);
  const title = typeof field['title'] === 'string' ? field['title'] : name;
  const about = typeof field['description'] === 'string' ? `: ${field['description']}` : '';
  const form = choices.length > 0 ? choices.map(({ label }) => label).join(', ') : FORMS[String(field['type'])];
  const lines = [visible(`${title}${about}${form === undefined ? '' : ` (${form})`}`)];
  const otherwise = field['default'] === undefined ? 'leave out' : visible(JSON.stringify(field['default']));
  const question = isRequired && field['default'] === undefined ? '' : ` [Enter: ${otherwise}]`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    // oxlint-disable-next-line no-await-in-loop -- asked again
    const typed = await askAbout(terminal, output, { lines, question: [`${visible(name)}${question}:`] }, signal);
    if (typed === undefined) return 'cancel';
    const text = typed.trim();
    if (text === '' && question !== '') return undefined;
    const value = readValue(text, field, choices);
    if (value !== undefined && text !== '') return { value };
  }
  return 'cancel';
}

const FORMS: Readonly<Record<string, string>> = {
  boolean: 'yes or no',
  integer: 'a whole number',
  number: 'a number',
};

interface Choice {
  readonly value: string;
  /** How it is shown; both can be typed. */
  readonly label: string;
}

function choicesOf(field: Field): readonly Choice[] {
  const holder = isObject(field['items']) ? field['items'] : field;
  const titled = [holder['oneOf'], holder['anyOf']].find(Array.isArray) ?? [];
  const fromTitled = titled.flatMap((each: unknown) =>
    isObject(each) && typeof each['const'] === 'string'
      ? [{ value: each['const'], label: typeof each['title'] === 'string' ? each['title'] : each['const'] }]
      : [],
  );
  const plain: readonly unknown[] = Array.isArray(holder['enum']) ? holder['enum'] : [];
  return [...fromTitled, ...plain.flatMap((value) => (typeof value === 'string' ? [{ value, label: value }] : []))];
}

function readValue(text: string, field: Field, choices: readonly Choice[]): Value | undefined {
  const choose = (typed: string): string | undefined =>
    choices.find(({ value, label }) => [value, label].some((each) => each.toLowerCase() === typed.toLowerCase()))
      ?.value;
  switch (field['type']) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    case 'integer':
      return /^[-+]?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'array': {
      const values = text.split(',').map((part) => choose(part.trim()));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    default:
      return choices.length === 0 ? text : choose(text);
  }
}
