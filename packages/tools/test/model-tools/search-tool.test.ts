import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createCapabilities, customCapabilities } from '../../src/capabilities.ts';
import { createRegistry, patternSearchTool, searchTool } from '../../src/index.ts';
import { simple } from '../support.ts';

const TOOLS: Readonly<Record<string, string>> = {
  send_email: 'Sends an email message to people.',
  read_calendar: 'Reads the events of a calendar.',
  create_event: 'Creates a calendar event and invites people.',
  weatherForecast: 'Tells the weather of the next days.',
  convert_currency: 'Converts an amount between currencies.',
  translate: 'Translates text into another language.',
  list_files: 'Lists files of a folder.',
  search_files: 'Searches files for text.',
  delete_file: 'Deletes a file.',
};
const signal = new AbortController().signal;

function create(ttl?: number): ReturnType<typeof createRegistry> {
  const registry = createRegistry([simple('shown', { description: 'Shows email and calendar.' })]);
  for (const [name, description] of Object.entries(TOOLS))
    registry.register(simple(name, { description }), { hidden: true });
  registry.register(searchTool(registry, { ttl }));
  registry.register(patternSearchTool(registry, { ttl }));
  return registry;
}

const first = (text: string): string | undefined => /- `(\w+)`/.exec(text)?.[1];

test.each([
  ['send mail email', 'send_email'],
  ['weather', 'weatherForecast'],
  ['currency', 'convert_currency'],
  ['calendar events', 'read_calendar'],
  ['find text in files', 'search_files'],
  ['invite people to an event', 'create_event'],
])('a search for "%s" ranks %s first', async (query, name) => {
  verifies('tools.search.bm25');
  const registry = create();
  const { forLLM } = await registry.execute('find_tools', { query });
  expect(first(forLLM)).toBe(name);
  expect(forLLM).toContain(`- \`${name}\` - ${TOOLS[name] ?? ''}`);
  expect(registry.has(name)).toBe(true);
});

test('a search shows at most five tools, offers them at the end of the list, and finds only hidden ones', async () => {
  verifies('tools.search.bm25', 'tools.list.order');
  const registry = create();
  const before = registry.names();
  const { forLLM } = await registry.execute('find_tools', { query: 'file email calendar text people weather' });
  expect(forLLM.match(/^- /gm)).toHaveLength(5);
  expect(forLLM).not.toContain('`shown`');
  expect(registry.names().slice(0, before.length)).toEqual(before);
  expect(registry.size).toBe(before.length + 5);
});

test('an empty query is rejected, and a search without a match says how to widen it', async () => {
  verifies('tools.search.bm25');
  const registry = create();
  for (const query of ['', '  ']) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await registry.execute('find_tools', { query })).forLLM).toBe(
      'ARGUMENTS_INVALID: the query is empty. Describe in a few words what the tool should do.',
    );
  }
  expect((await registry.execute('find_tools', { query: 'submarine' })).forLLM).toContain(
    'Try other or more general words',
  );
});

test('a found tool can be called in the next turn, and for ttl turns unless it is used', async () => {
  verifies('tools.hidden.ttl', 'tools.search.bm25');
  const registry = create(1);
  await registry.execute('find_tools', { query: 'weather' });
  await registry.listFor({ turn: 1, signal });
  expect((await registry.execute('weatherForecast')).forLLM).toBe('weatherForecast');
  await registry.listFor({ turn: 2, signal });
  await registry.listFor({ turn: 3, signal });
  expect((await registry.execute('weatherForecast')).code).toBe('TOOL_NOT_FOUND');
});

test('a search sees tools that were registered after the last one', async () => {
  verifies('tools.search.bm25');
  const registry = create();
  await registry.execute('find_tools', { query: 'submarine' });
  registry.register(simple('dive', { description: 'Steers a submarine.' }), { hidden: true });
  expect(first((await registry.execute('find_tools', { query: 'submarine' })).forLLM)).toBe('dive');
});

test('a pattern finds tools by name or description, whatever the case', async () => {
  verifies('tools.search.regex');
  const registry = create();
  const { forLLM } = await registry.execute('find_tools_by_pattern', { pattern: '^(LIST|search)_files' });
  expect(forLLM).toContain('`list_files`');
  expect(forLLM).toContain('`search_files`');
  expect(forLLM).not.toContain('`delete_file`');
  expect((await registry.execute('find_tools_by_pattern', { pattern: '^zzz$' })).forLLM).toContain(
    'No further tool matches',
  );
});

test.each([
  ['x'.repeat(201), 'the pattern has 201 characters; 200 are allowed'],
  ['(', 'the pattern is not a valid regular expression'],
  [' ', 'the pattern is empty'],
])('the pattern %j is rejected with an error result', async (pattern, text) => {
  verifies('tools.search.regex');
  const result = await create().execute('find_tools_by_pattern', { pattern });
  expect(result).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
  expect(result.forLLM).toContain(text);
});

test.each(['(a+)+$', '(a|a)*b', '(.*)*x'])(
  'the catastrophic pattern %s finds nothing in a text that it does not match',
  { timeout: 240_000 },
  async (pattern) => {
    verifies('tools.search.regex');
    const registry = create();
    registry.register(simple('long', { description: `${'a'.repeat(5000)}!` }), { hidden: true });
    expect((await registry.execute('find_tools_by_pattern', { pattern })).forLLM).not.toContain('long');
  },
);

test('a hidden tool whose capability comes up is found, and what cannot be called is not announced', async () => {
  verifies('tools.search.bm25', 'tools.capabilities.list');
  const capabilities = createCapabilities({ checks: [customCapabilities({ key: () => false })], ttlMs: 0 });
  for (const make of [searchTool, patternSearchTool]) {
    const registry = createRegistry([], { capabilities });
    registry.register(make(registry, { name: 'find' }));
    registry.register(simple('weather', { metadata: { requires: ['key'] } }), { hidden: true });
    registry.register(
      simple('weather_map', { metadata: { optionality: 'conditional' } }, () => 1, { when: () => false }),
      {
        hidden: true,
      },
    );
    const look = async (): Promise<string> =>
      (await registry.execute('find', make === searchTool ? { query: 'weather' } : { pattern: 'weather' })).forLLM;
    capabilities.override('key', false);
    // oxlint-disable-next-line no-await-in-loop
    expect(await look()).toContain('No further tool');
    capabilities.override('key', true);
    const before = registry.list();
    // oxlint-disable-next-line no-await-in-loop
    await registry.listFor({ turn: 1, signal: new AbortController().signal });
    expect(registry.list()).toBe(before);
    // oxlint-disable-next-line no-await-in-loop
    const found = await look();
    expect([found.includes('`weather`'), found.includes('weather_map')]).toEqual([true, false]);
  }
});
