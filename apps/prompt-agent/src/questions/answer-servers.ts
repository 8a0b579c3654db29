import { createLock, visible } from '@kernel/internal';
import type { McpAnswer, McpQuestion, McpSamplingRequest, McpUrlQuestion } from '@kernel/mcp';
import { textOf } from '@kernel/protocol';
import type { Output } from '../output/output.ts';
import { hasTerminal, type Terminal } from './ask.ts';
import { type FieldValue, fieldsOf, type FormField } from './form-fields.ts';
import { askAbout, confirm } from './question.ts';
import type { ServerAnswers } from './server-answers.ts';

/** How often a value that does not fit is asked for again. */
const ATTEMPTS = 3;

/** What a server asks to be filled in, in a line. */
export function formLine(server: string, message: string): string {
  return `MCP server "${visible(server)}" asks: ${visible(message)}`;
}

/** What a server asks to be opened, in lines. */
export function urlLines(server: string, message: string, url: string): readonly string[] {
  return [`MCP server "${visible(server)}" asks you to open a page: ${visible(message)}`, visible(url)];
}

/** What a server wants to ask the model, word by word, with what that may cost, in lines. The lines of a text are indented, so that none passes for another. */
export function samplingLines(
  { server, messages, maxTokens, used }: McpSamplingRequest,
  model: string,
): readonly string[] {
  const texts = messages.flatMap((message) => [
    `  ${message.role}:`,
    ...visible(textOf(message))
      .split('\n')
      .map((line) => `    ${line}`),
    ...(typeof message.content === 'string' ? [] : message.content).flatMap((part) =>
      'mimeType' in part ? [`    with content that cannot be shown here: ${visible(part.mimeType)}`] : [],
    ),
  ]);
  const cost = used.cost === 0 ? '' : `, $${used.cost.toFixed(4)}`;
  return [
    `MCP server "${visible(server)}" wants to ask your model, at your cost:`,
    ...texts,
    `model: ${visible(model)}, a reply of at most ${maxTokens} tokens`,
    `used by this server so far: ${used.calls} replies, ${used.tokens} tokens${cost}`,
  ];
}

/** Lets MCP servers ask the person at the terminal, one question after the other; nobody, where there is no terminal. */
export function answerServers(terminal: Terminal, output: Output, model = ''): ServerAnswers {
  if (!hasTerminal(terminal))
    return {
      approveSampling({ server }) {
        output.note(`MCP server "${visible(server)}" wants to ask your model, and there is no terminal to ask on.`);
        return Promise.resolve(false);
      },
    };
  const lock = createLock();
  return {
    elicit: (question: McpQuestion): Promise<McpAnswer> => lock(() => answer(terminal, output, question)),
    async elicitUrl({ server, message, url, signal }: McpUrlQuestion): Promise<McpAnswer['action']> {
      const lines = urlLines(server, message, url);
      const hasOpened = await confirm(terminal, output, lines, 'Have you opened it, and go on?', signal);
      return hasOpened ? 'accept' : 'decline';
    },
    approveSampling: (request) =>
      confirm(terminal, output, samplingLines(request, model), 'Send it to the model?', request.signal),
  };
}

async function answer(
  terminal: Terminal,
  output: Output,
  { server, message, schema, signal }: McpQuestion,
): Promise<McpAnswer> {
  const lines = [formLine(server, message)];
  const fields = fieldsOf(schema);
  const names = fields.map(({ name }) => visible(name)).join(', ');
  const what = fields.length === 0 ? 'Agree?' : `Answer it (${names})? What you type is sent to the server.`;
  if (!(await confirm(terminal, output, lines, what, signal))) return { action: 'decline' };
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    // oxlint-disable-next-line no-await-in-loop -- one field after the other
    const value = await askField(terminal, output, field, signal);
    if (value === 'cancel') return { action: 'cancel' };
    if (value !== undefined) content[field.name] = value.value;
  }
  return { action: 'accept', content };
}

/** Asks for the value of a field; undefined for one that is left out, which then has its default. */
async function askField(
  terminal: Terminal,
  output: Output,
  { name, about, otherwise, read }: FormField,
  signal: AbortSignal,
): Promise<{ readonly value: FieldValue } | 'cancel' | undefined> {
  const question = otherwise === undefined ? '' : ` [Enter: ${otherwise}]`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lines = { lines: [about], question: [`${visible(name)}${question}:`] };
    // oxlint-disable-next-line no-await-in-loop -- asked again
    const typed = await askAbout(terminal, output, lines, signal);
    if (typed === undefined) return 'cancel';
    const text = typed.trim();
    if (text === '' && otherwise !== undefined) return undefined;
    const value = read(text);
    if (value !== undefined) return { value };
  }
  return 'cancel';
}
