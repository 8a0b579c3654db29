import {
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ProviderRequest,
  type Tool,
  toolCallsOf,
} from '@kernel/protocol';
import { offlineProvider } from '../src/index.ts';

const parameters = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});

/** Tools for files, time and sums, described in words of their own. */
export const workTools: readonly Tool[] = [
  {
    name: 'clock',
    description: 'Tells the current date and time, here or in a time zone.',
    effect: 'read',
    parameters: parameters({ zone: { type: 'string', description: 'IANA time zone.' } }),
    metadata: {
      usageHint: 'How late it is, today’s date, the day of the week.',
      examples: [{ description: 'How late is it in Paris?', input: { zone: 'Europe/Paris' } }],
    },
  },
  {
    name: 'arithmetic',
    description: 'Evaluates an arithmetic expression.',
    effect: 'read',
    parameters: parameters({ expression: { type: 'string' } }, ['expression']),
    metadata: { usageHint: 'Calculate how much an expression is.' },
  },
  {
    name: 'read_file',
    description: 'Reads a text file.',
    effect: 'read',
    parameters: parameters({ path: { type: 'string', description: 'Path of the file.' } }, ['path']),
    metadata: {
      usageHint: 'To open, show, print or cat a file and its contents.',
      examples: [{ description: 'What does notes.md say?', input: { path: 'notes.md' } }],
    },
  },
  {
    name: 'list_folder',
    description: 'Lists the files in a folder.',
    effect: 'read',
    parameters: parameters({ path: { type: 'string', description: 'Folder.' } }),
    metadata: {
      usageHint: 'To show the contents of a folder.',
      examples: [{ description: "What's in src?", input: { path: 'src' } }],
    },
  },
  {
    name: 'search_text',
    description: 'Searches files for text.',
    effect: 'read',
    parameters: parameters({ query: { type: 'string' }, path: { type: 'string', description: 'File or folder.' } }, [
      'query',
    ]),
    metadata: { usageHint: 'To find where a name is mentioned or used, or which files mention it.' },
  },
];

/** Tools that a user might register: no hints, no examples. */
export const userTools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Get the weather forecast for a city.',
    effect: 'read',
    parameters: parameters({ city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } }, [
      'city',
    ]),
  },
  {
    name: 'greet',
    description: 'Greets a person by name.',
    effect: 'read',
    parameters: parameters({ name: { type: 'string' } }, ['name']),
  },
  {
    name: 'roll_dice',
    description: 'Rolls dice.',
    effect: 'read',
    parameters: parameters({ count: { type: 'integer', minimum: 1 }, sides: { type: 'integer' } }),
  },
  {
    name: 'convert_units',
    description: 'Converts a value from one unit to another.',
    effect: 'read',
    parameters: parameters({ value: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } }, [
      'value',
      'from',
      'to',
    ]),
  },
  {
    name: 'send_email',
    description: 'Sends an email.',
    effect: 'read',
    parameters: parameters({ to: { type: 'string', format: 'email' }, body: { type: 'string' } }, ['to', 'body']),
  },
  {
    name: 'book_room',
    description: 'Books a meeting room on a date.',
    effect: 'read',
    parameters: parameters(
      { date: { type: 'string', format: 'date' }, room: { type: 'string', enum: ['blue', 'red'] } },
      ['date', 'room'],
    ),
  },
  {
    name: 'average',
    description: 'Average of numbers.',
    effect: 'read',
    parameters: parameters({ numbers: { type: 'array', items: { type: 'number' } } }, ['numbers']),
  },
  { name: 'flip_coin', description: 'Flips a coin.', effect: 'read', parameters: parameters({}) },
];

/** Noon on the clock of this machine: the same day in every time zone. */
const NOW = new Date(2026, 10, 21, 12).getTime();

/** Asks the offline provider once and returns its message. */
export async function ask(
  messages: string | readonly Message[],
  tools: readonly Tool[],
  more: Partial<ProviderRequest> = {},
): Promise<AssistantMessage> {
  const history: readonly Message[] = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
  for await (const event of offlineProvider({ now: () => NOW }).stream({
    model: 'offline',
    messages: history,
    tools,
    ...more,
  })) {
    if (event.type === 'message-end') return event.message;
  }
  throw new Error('no message-end');
}

/** The calls of a prompt as `name {"json":"arguments"}`. */
export async function callsFor(prompt: string, tools: readonly Tool[]): Promise<readonly string[]> {
  return toolCallsOf(await ask(prompt, tools)).map((call) => `${call.name} ${call.arguments}`);
}
