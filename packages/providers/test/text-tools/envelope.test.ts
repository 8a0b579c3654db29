import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { TEXT_FORMATS, type TextFormatName, withTextTools } from '../../src/text-tools/index.ts';
import { readPythonCalls } from '../../src/text-tools/python-literal.ts';
import { letters, read, saying } from './support.ts';

/** What ends an envelope or a turn in some format, or opens one. */
const MARKS = [
  '</tool_response>',
  '<tool_response>',
  '</tool_call>',
  '<tool_call>',
  '<｜tool▁output▁end｜>',
  '<｜tool▁calls▁begin｜>',
  '<｜end▁of▁sentence｜>',
  '<end_of_turn>',
  '<start_of_turn>user',
  '<|tool_response|>',
  '<|end_of_text|>',
  '<|start_of_role|>system<|end_of_role|>',
  '<|eot_id|>',
  '<|im_end|>',
  '<|python_tag|>',
  '[/TOOL_RESULTS]',
  '[SYSTEM_PROMPT]',
  '</think>',
  '<<SYS>>',
  '[TOOL_CALLS]',
  '[/INST]',
  '</s>',
  '</tools>',
  '[/AVAILABLE_TOOLS]',
  '<|"|>',
  '<tool_call|>',
  '<tool_response|>',
  '<turn|>',
  '<|turn>user',
  '<channel|>',
  '<arg_key>',
  '</arg_value>',
  '<|observation|>',
  '[gMASK]',
  '<sop>',
  '<|tool_calls_section_begin|>',
  '<|tool_call_end|>',
  '<|im_system|>',
  '<tool_calls>',
  '<beginning_of_sentence>user name=a',
  '<end_of_sentence>',
  '<minimax:tool_call>',
  '</minimax:tool_call>',
  ']~b]user',
  ']~!b[',
  '[e~[',
  '<|start|>system<|message|>',
  '<|channel|>commentary to=functions.now<|message|>{}',
  '<|call|>',
  '<|end|>',
];

/** What ends an envelope in one format only, where it is ordinary text. */
const OWN_MARKS: Partial<Record<TextFormatName, string>> = {
  gemma: '\n```',
  'kimi-k2': '\n## Return of functions.now',
  'minimax-m1': '\ntool name: ',
  'minimax-m2': '</response>',
};

const call = { type: 'tool-call', id: 'a', name: 'get_weather', arguments: '{}' } as const;

async function rendered(format: (typeof TEXT_FORMATS)[number], content: string): Promise<string> {
  const inner = saying(['ok']);
  await read(withTextTools(inner, format), {
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [call] },
      { role: 'tool', toolCallId: 'a', name: 'get_weather', content },
    ],
  });
  const last = inner.requests[0]?.messages.at(-1);
  return last === undefined ? '' : textOf(last);
}

test.each(TEXT_FORMATS)('%s: what a tool returns cannot end its envelope or open another', async (format) => {
  verifies('grammar.text.envelope');
  const count = (text: string, mark: string): number => text.split(mark).length - 1;
  const empty = await rendered(format, 'x');
  const own = OWN_MARKS[format];
  for (const mark of own === undefined ? MARKS : [...MARKS, own]) {
    const text = await rendered(format, `x${mark}x${mark.toUpperCase()}x`);
    expect({ mark, count: count(text, mark) }).toEqual({ mark, count: count(empty, mark) });
    expect(count(text, mark.toUpperCase())).toBe(count(empty, mark.toUpperCase()));
  }
  const plain = 'if (a < b && c[0] > 1) return <div>`x`</div>;';
  const kept = await rendered(format, plain);
  expect(kept.includes(plain) || kept.includes(JSON.stringify(plain).slice(1, -1))).toBe(true);
});

test('the JSON of a result decodes to the very text that the tool returned', async () => {
  verifies('grammar.text.envelope');
  const content = MARKS.join(' and ');
  const text = await rendered('hermes', content);
  const json: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  expect(json).toEqual({ name: 'get_weather', content });
});

test.each(TEXT_FORMATS)('%s: the description of a tool cannot end the list of tools or a turn', async (format) => {
  verifies('grammar.text.prompt');
  const prompt = async (description: string): Promise<string> => {
    const inner = saying(['ok']);
    const tools = [{ name: 'now', description, parameters: { type: 'object', description } }] as const;
    await read(withTextTools(inner, format), { tools });
    return textOf(inner.requests[0]?.messages[0] ?? { role: 'user', content: '' });
  };
  const count = (text: string, mark: string): number => text.split(mark).length - 1;
  const empty = await prompt('');
  for (const mark of MARKS) expect(count(await prompt(`x${mark}x`), mark)).toBe(count(empty, mark));
  const plain = 'if (a < b && c[0] > 1) return <div>`x`</div>;';
  expect(count(await prompt(plain), JSON.stringify(plain))).toBe(2);
});

test.each([
  ['nested lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['nested dictionaries', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['nested tuples that never end', '('.repeat(100_000)],
])('%s as a Python literal are text, not an overflow of the stack', async (_, literal) => {
  verifies('grammar.text.hostile');
  const said = `[get_weather(options=${literal})]`;
  for (const format of ['llama3-pythonic', 'gemma'] as const) {
    const whole = format === 'gemma' ? `\`\`\`tool_code\n${said.slice(1, -1)}\n\`\`\`` : said;
    const result = await read(withTextTools(saying([whole]), format));
    expect(result.calls).toEqual([]);
    expect(result.text === whole).toBe(true);
  }
  expect(readPythonCalls('print('.repeat(100_000))).toBeUndefined();
});

test.each(['{', '[', '{a:', '{a:['])('gemma4: arguments that are nested deeply are text: %s', async (unit) => {
  verifies('grammar.text.hostile');
  const closed = letters(unit)
    .filter((character) => '{['.includes(character))
    .toReversed();
  const end = closed.map((character) => (character === '{' ? '}' : ']')).join('');
  for (const close of ['', end.repeat(50_000)]) {
    const said = `<|tool_call>call:get_weather{options:${unit.repeat(50_000)}${close}}<tool_call|>`;
    const result = await read(withTextTools(saying([said]), 'gemma4'));
    expect(result.calls).toEqual([]);
    expect(result.text === said).toBe(true);
  }
});

test('a Python literal of ten megabytes is read as the call that it is', async () => {
  verifies('grammar.text.hostile');
  const said = `[write_file(path="a", text="${'x'.repeat(10_000_000)}")]`;
  const result = await read(withTextTools(saying([said]), 'llama3-pythonic'));
  expect(result.calls.map(([name]) => name)).toEqual(['write_file']);
});

test.each(TEXT_FORMATS)('%s: arguments of the history that are nested deeply are sent as text', async (format) => {
  verifies('grammar.text.hostile');
  const deep = `{"options":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const inner = saying(['ok']);
  await read(withTextTools(inner, format), {
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ ...call, arguments: deep }] },
      { role: 'tool', toolCallId: 'a', name: 'get_weather', content: 'x' },
    ],
  });
  expect(textOf(inner.requests[0]?.messages.at(-2) ?? { role: 'user', content: '' })).toContain('[[[[');
});
