import type { RecordedWire } from './files.ts';

/** What a reply says, read from its JSON without the decoders. */
export interface Expected {
  text: string;
  readonly calls: { id: string | undefined; readonly name: string; arguments: string }[];
  /** The kinds of the parts that only the vendor understands, in order. */
  readonly opaque: string[];
  /** Input and output tokens together; undefined if the reply does not count them. */
  tokens: number | undefined;
  /** The vendor's own word for why the reply ended. */
  reason: unknown;
}

/** JSON that is read by path: a member that is absent is undefined all the way down. */
interface Json {
  readonly [key: string]: Json | undefined;
}

/** Reads the events of a stream, or the one body of a whole reply. */
export function expectedOf(wire: RecordedWire, values: readonly unknown[]): Expected {
  const expected: Expected = { text: '', calls: [], opaque: [], tokens: undefined, reason: undefined };
  READERS[wire](listOf(values), expected);
  return expected;
}

const READERS: Readonly<Record<RecordedWire, (values: readonly Json[], expected: Expected) => void>> = {
  openai: readChat,
  'openai-responses': readResponses,
  anthropic: readMessages,
  gemini: readGemini,
  bedrock: readConverse,
};

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readChat(values: readonly Json[], expected: Expected): void {
  for (const { choices, usage } of values) {
    expected.tokens = countOf(usage?.['total_tokens']) ?? expected.tokens;
    const choice = listOf(choices)[0];
    expected.reason = choice?.['finish_reason'] ?? expected.reason;
    const delta = choice?.['delta'] ?? choice?.['message'];
    expected.text += textOf(delta?.['content']);
    for (const part of listOf(delta?.['content'])) expected.text += textOf(part['text']);
    for (const call of listOf(delta?.['tool_calls'])) {
      const name = textOf(call['function']?.['name']);
      const text = textOf(call['function']?.['arguments']);
      const last = expected.calls.at(-1);
      if (name !== '') expected.calls.push({ id: idOf(call['id']), name, arguments: text });
      else if (last !== undefined) last.arguments += text;
    }
  }
}

function readResponses(values: readonly Json[], expected: Expected): void {
  // The complete response is in the last event too, so that nothing is joined here.
  const last = values.findLast((value) => value['output'] !== undefined && value['status'] !== undefined);
  const response = values.find((value) => textOf(value['type']) === 'response.completed')?.['response'] ?? last;
  // Some gateways leave the items out there: then those that were announced as complete count.
  const items = listOf(response?.['output']);
  const done = values.flatMap(({ item, type }) =>
    textOf(type) === 'response.output_item.done' && item !== undefined ? [item] : [],
  );
  for (const [at, item] of (items.length > 0 ? items : done).entries()) {
    const type = textOf(item['type']);
    if (type === 'message') {
      const whole = listOf(item['content'])
        .map((part) => textOf(part['text']))
        .join('');
      const streamed = values
        .filter((value) => textOf(value['type']) === 'response.output_text.delta')
        .filter((value) => countOf(value['output_index']) === at)
        .map((value) => textOf(value['delta']))
        .join('');
      // One recording was shortened by hand, so that its deltas say something else: they are what a consumer has seen.
      expected.text += whole.startsWith(streamed) ? whole : streamed;
    } else if (type === 'function_call') {
      const { arguments: text, call_id: id, name } = item;
      expected.calls.push({ id: idOf(id), name: textOf(name), arguments: textOf(text) });
    } else if (type !== 'reasoning') expected.opaque.push(type);
  }
  expected.tokens = countOf(response?.['usage']?.['total_tokens']);
  expected.reason = response?.['status'];
}

function readMessages(values: readonly Json[], expected: Expected): void {
  const usage = new Map<string, number>();
  // A recording of several steps has several replies in a row: a reply ends at its end mark.
  const end = values.findIndex(({ type }) => textOf(type) === 'message_stop');
  const events = values.slice(0, end === -1 ? values.length : end);
  /** Whether the block of each index is a call. */
  const calls = new Map<unknown, boolean>();
  let container: Json | undefined;
  for (const value of events) {
    const type = textOf(value['type']);
    for (const [name, count] of Object.entries({ ...value['message']?.['usage'], ...value['usage'] }))
      if (typeof count === 'number') usage.set(name, count);
    // The reply begins anew. A call of code at the vendor is whole here.
    if (type === 'message_start') Object.assign(expected, { text: '', calls: [], opaque: [], reason: undefined });
    const message = type === 'message' ? value : type === 'message_start' ? value['message'] : undefined;
    const started = type === 'content_block_start' ? listOf([value['content_block']]) : [];
    for (const block of [...listOf(message?.['content']), ...started]) {
      const kind = textOf(block['type']);
      calls.set(value['index'], kind === 'tool_use');
      if (kind === 'text') expected.text += textOf(block['text']);
      else if (kind === 'tool_use') {
        const text = JSON.stringify(block['input']);
        const follows = started.length > 0 && text === '{}';
        expected.calls.push({ id: idOf(block['id']), name: textOf(block['name']), arguments: follows ? '' : text });
      } else if (!kind.endsWith('thinking')) expected.opaque.push(kind);
    }
    const delta = value['delta'];
    expected.reason = message?.['stop_reason'] ?? delta?.['stop_reason'] ?? expected.reason;
    container = message?.['container'] ?? delta?.['container'] ?? container;
    if (textOf(delta?.['type']) === 'text_delta') expected.text += textOf(delta?.['text']);
    const call = expected.calls.at(-1);
    if (call !== undefined && calls.get(value['index']) === true) call.arguments += textOf(delta?.['partial_json']);
  }
  if (container?.['id'] !== undefined) expected.opaque.push('container');
  const names = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  expected.tokens = names.reduce((sum, name) => sum + (usage.get(name) ?? 0), 0);
}

function readGemini(values: readonly Json[], expected: Expected): void {
  for (const value of values) {
    const candidate = listOf(value['candidates'])[0];
    expected.reason = candidate?.['finishReason'] ?? expected.reason;
    for (const part of listOf(candidate?.['content']?.['parts'])) {
      const call = part['functionCall'];
      const name = textOf(call?.['name']);
      if (name !== '') {
        const text = JSON.stringify(call?.['args'] ?? GEMINI_ARGUMENTS.get(name)?.[expected.calls.length] ?? {});
        expected.calls.push({ id: idOf(call?.['id']), name, arguments: text });
      }
      if (part['thought'] === undefined) expected.text += textOf(part['text']);
    }
    expected.tokens = countOf(value['usageMetadata']?.['totalTokenCount']) ?? expected.tokens;
  }
}

const STEPS = [
  'Preheat oven to 375°F (190°C).',
  'Cook lasagna noodles according to package directions, drain and set aside.',
  'Brown ground beef with minced garlic in a skillet. Drain fat and stir in tomato sauce. Simmer for 10 minutes.',
  'In a bowl, mix ricotta cheese, egg, salt, pepper, and Parmesan cheese.',
  'In a 9x13 baking dish, spread a thin layer of meat sauce.',
  'Layer noodles, ricotta mixture, mozzarella, and meat sauce. Repeat.',
  'Top with remaining mozzarella cheese.',
  'Cover with foil and bake for 25 minutes.',
  'Remove foil and bake for another 25 minutes until golden.',
  'Let stand for 15 minutes before serving.',
];
const INGREDIENTS = [
  ['16 oz', 'Lasagna noodles'],
  ['1 lb', 'Ground beef'],
  ['15 oz', 'Ricotta cheese'],
  ['3 cups', 'Mozzarella cheese'],
  ['1/2 cup', 'Parmesan cheese'],
  ['24 oz', 'Tomato sauce'],
  ['1', 'Egg'],
  ['2 cloves', 'Garlic'],
  ['1 tsp', 'Salt'],
  ['1/2 tsp', 'Pepper'],
].map(([amount, name]) => ({ amount, name }));

/** What the streamed arguments of Gemini's calls say, by the position of the call in its reply: put together by hand. */
const GEMINI_ARGUMENTS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['getWeather', [{ location: 'Boston' }, { location: 'San Francisco' }]],
  ['read_screen', [{}, { id: 'A' }, { id: 'B' }, { id: 'C' }]],
  ['cookRecipe', [{ recipe: { ingredients: INGREDIENTS, name: 'Lasagna', steps: STEPS } }]],
  [
    'writeItems',
    [
      {
        operations: [
          { action: 'add', description: 'Fresh red apple', itemid: 'apple_001', price: 0.5 },
          { action: 'add', description: 'Ripe yellow banana', itemid: 'banana_001', price: 0.3 },
        ],
      },
    ],
  ],
]);

function readConverse(values: readonly Json[], expected: Expected): void {
  for (const value of values) {
    expected.reason = value['stopReason'] ?? value['messageStop']?.['stopReason'] ?? expected.reason;
    const start = value['contentBlockStart']?.['start'];
    const delta = value['contentBlockDelta']?.['delta'];
    for (const block of [start, delta, ...listOf(value['output']?.['message']?.['content'])]) {
      expected.text += textOf(block?.['text']);
      const call = block?.['toolUse'];
      const input: unknown = call?.['input'];
      const text = input === undefined || typeof input === 'string' ? textOf(input) : JSON.stringify(input);
      const id = idOf(call?.['toolUseId']);
      const last = expected.calls.at(-1);
      if (id !== undefined) expected.calls.push({ id, name: textOf(call?.['name']), arguments: text });
      else if (last !== undefined) last.arguments += text;
    }
    const usage = value['usage'] ?? value['metadata']?.['usage'];
    const tokens = (countOf(usage?.['inputTokens']) ?? 0) + (countOf(usage?.['outputTokens']) ?? 0);
    if (usage !== undefined) expected.tokens = tokens;
  }
}
