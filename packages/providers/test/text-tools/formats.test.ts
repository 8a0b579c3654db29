import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { cpuTimeOf } from '../../../../test/setup/cpu-time.ts';
import { TEXT_FORMATS, type TextFormatName, detectTextCalls, withTextTools } from '../../src/text-tools/index.ts';
import { read, saying } from './support.ts';

interface Sample {
  readonly format: TextFormatName;
  readonly said: string;
  readonly calls: readonly (readonly [string, unknown])[];
  readonly text?: string;
}

const weather = ['get_weather', { city: 'Oslo', days: 2 }] as const;
const tricky = { path: 'a.json', text: '{"}]": "</tool_call> \\" [x]"}' };
const file = ['write_file', tricky] as const;
const nested = ['get_weather', { options: { a: [{ b: '}' }, [1, 2]], c: { d: null } } }] as const;
const j = JSON.stringify;
const o = ([name, args]: readonly [string, unknown], key = 'arguments'): string =>
  `{"name": ${j(name)}, "${key}": ${j(args)}}`;
const DS = {
  all: '<｜tool▁calls▁begin｜>',
  allEnd: '<｜tool▁calls▁end｜>',
  one: '<｜tool▁call▁begin｜>',
  end: '<｜tool▁call▁end｜>',
  sep: '<｜tool▁sep｜>',
};

const SAMPLES: readonly Sample[] = [
  {
    format: 'hermes',
    said: `Let me see.\n<tool_call>\n${o(weather)}\n</tool_call>\n<tool_call>${o(file)}</tool_call>\nThat is all.`,
    calls: [weather, file],
    text: 'Let me see.\n\nThat is all.',
  },
  { format: 'qwen', said: `<tool_call>\n${o(nested)}\n</tool_call>`, calls: [nested] },
  {
    format: 'qwen-coder',
    said:
      'First:\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>\n' +
      `<tool_call>\n<function=write_file>\n<parameter=path>\na.json\n</parameter>\n<parameter=text>\n${tricky.text}\n</parameter>\n</function>\n</tool_call>\nDone.`,
    calls: [weather, file],
    text: 'First:\n\nDone.',
  },
  {
    format: 'qwen-coder',
    said: '<function=get_weather>\n<parameter=city>\n5\n</parameter>\n<parameter=options>\n{"a": [1, {"b": "}"}]}\n</parameter>\n</function>\n</tool_call>',
    calls: [['get_weather', { city: '5', options: { a: [1, { b: '}' }] } }]],
  },
  {
    format: 'llama3-json',
    said: `I look.\n${o(weather, 'parameters')}; ${o(file, 'parameters')}`,
    calls: [weather, file],
    text: 'I look.\n',
  },
  { format: 'llama3-json', said: `<|python_tag|>${o(nested, 'parameters')}<|eom_id|>`, calls: [nested] },
  {
    format: 'llama3-pythonic',
    said: `[get_weather(city='Oslo', days=2), write_file(path="a.json", text=${j(tricky.text)})]\nWait.`,
    calls: [weather, file],
    text: '\nWait.',
  },
  {
    format: 'llama3-pythonic',
    said: 'So:\n[get_weather(options={"a": [{"b": "}"}, (1, 2,)], "c": {"d": None}})]',
    calls: [nested],
    text: 'So:\n',
  },
  {
    format: 'mistral',
    said: `Well. [TOOL_CALLS] [${o(weather)}, ${o(file)}]</s>`,
    calls: [weather, file],
    text: 'Well. ',
  },
  {
    format: 'mistral',
    said: `[TOOL_CALLS]get_weather[ARGS]${j(weather[1])}[TOOL_CALLS]write_file[CALL_ID]abc123def[ARGS]${j(tricky)} and so`,
    calls: [weather, file],
    text: ' and so',
  },
  {
    format: 'deepseek',
    said:
      `Hm.${DS.all}${DS.one}function${DS.sep}get_weather\n\`\`\`json\n${j(weather[1])}\n\`\`\`${DS.end}\n` +
      `${DS.one}write_file${DS.sep}${j(tricky)}${DS.end}${DS.allEnd}Then.`,
    calls: [weather, file],
    text: 'Hm.Then.',
  },
  {
    format: 'gemma',
    said: `Sure.\n\`\`\`tool_code\nget_weather(city="Oslo", days=2)\nprint(write_file(path="a.json", text=${j(tricky.text)}))\n\`\`\`\nBye.`,
    calls: [weather, file],
    text: 'Sure.\n\nBye.',
  },
  { format: 'granite', said: `A <|tool_call|>[${o(weather)}, ${o(file)}] B`, calls: [weather, file], text: 'A  B' },
  { format: 'granite', said: `<tool_call>[${o(nested)}]</tool_call>`, calls: [nested] },
  {
    format: 'json',
    said: `Here:\n\`\`\`json\n[${o(weather)},\n ${o(file)}]\n\`\`\`\nok`,
    calls: [weather, file],
    text: 'Here:\n\nok',
  },
  { format: 'json', said: `Two.\n${o(weather)}\n${o(nested)}\nEnd`, calls: [weather, nested], text: 'Two.\n\nEnd' },
];

/** Text that looks like calls and holds none. */
const TEXTS: readonly string[] = [
  'Use {"name": "get_weather", "arguments": {}} inside your code.',
  '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call>',
  '<tool_call>{"name": "constructor", "arguments": {}}</tool_call>',
  '{"name": "Alice", "arguments": {"of": "a"}}',
  '{"name": "get_weather", "age": 4}',
  'A [link](x) and [get_weather] and [TOOL_CALLS] of no kind, `<function=` <function=now',
  '[TOOL_CALLS] [{"name": "unknown", "arguments": {}}]',
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os',
  '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}',
  '[get_weather(city="Oslo"',
  '```tool_code\nget_weather(city="Oslo")',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>x',
  '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n',
  '  \n if (a < b) { return [1]; }\n',
];

const letters = (text: string): string[] => text.split('');
const cut = (text: string, at: number): string[] => [text.slice(0, at), text.slice(at)];

for (const [index, sample] of SAMPLES.entries()) {
  test(`${sample.format} (${index}): calls with ids, complete arguments and the text around them, for every split`, async () => {
    verifies('grammar.text.formats', 'grammar.text.stream');
    const whole = await read(withTextTools(saying([sample.said]), sample.format));
    expect(whole.calls).toEqual(sample.calls);
    expect(whole.text).toBe(sample.text ?? '');
    expect(whole.ids).toEqual(sample.calls.map((_, at) => `text_${at + 1}`));
    expect(whole.end.finishReason).toBe('tool-calls');
    for (let at = 1; at < sample.said.length; at += 1) {
      const split = await read(withTextTools(saying(cut(sample.said, at)), sample.format));
      expect(split.end).toEqual(whole.end);
    }
    const single = await read(withTextTools(saying(letters(sample.said)), sample.format));
    expect(single.end).toEqual(whole.end);
    const detected = await read(detectTextCalls(saying(letters(sample.said))));
    expect(detected.calls).toEqual(sample.calls);
  });

  test(`${sample.format} (${index}): wherever a reply is cut off, no call runs that was not complete`, async () => {
    verifies('grammar.text.stream');
    for (let at = 0; at < sample.said.length; at += 1) {
      const part = await read(withTextTools(saying([sample.said.slice(0, at)]), sample.format));
      expect(part.calls).toEqual(sample.calls.slice(0, part.calls.length));
      const lost = part.calls.length === 0 && part.text !== sample.said.slice(0, at);
      expect(lost).toBe(false);
    }
  });
}

test.each(TEXTS)('no call, and not a character lost: %s', async (text) => {
  verifies('grammar.text.known', 'grammar.text.stream');
  const wrappers = [
    ...TEXT_FORMATS.map((format) => withTextTools(saying(letters(text)), format)),
    detectTextCalls(saying(letters(text))),
  ];
  for (const provider of wrappers) {
    const result = await read(provider);
    expect(result.calls).toEqual([]);
    expect(result.text).toBe(text);
    expect(result.end.finishReason).toBe('stop');
  }
});

test('random splits of random mixtures of text and markup give the same reply', async () => {
  verifies('grammar.text.stream');
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pool = [...SAMPLES.map(({ said }) => said), ...TEXTS, '\n', ' ', '{', '[', '<tool', '```json\n', '"'];
  for (let round = 0; round < 150; round += 1) {
    const said = Array.from({ length: 1 + random(4) }, () => pool[random(pool.length)] ?? '').join(
      random(2) === 0 ? '' : '\n',
    );
    const format = TEXT_FORMATS[random(TEXT_FORMATS.length)] ?? 'json';
    const make = (pieces: string[]): ReturnType<typeof read> =>
      read(round % 3 === 0 ? detectTextCalls(saying(pieces)) : withTextTools(saying(pieces), format));
    const whole = await make([said]);
    for (let again = 0; again < 4; again += 1) {
      const pieces: string[] = [];
      for (let at = 0; at < said.length;) {
        const length = 1 + random(again === 0 ? 2 : 30);
        pieces.push(said.slice(at, at + length));
        at += length;
      }
      const split = await make(pieces);
      expect({ said, end: split.end }).toEqual({ said, end: whole.end });
    }
  }
});

test('a long reply of hostile marks does not take quadratic time', async () => {
  verifies('grammar.text.stream');
  for (const unit of [
    '{\n',
    '<tool_call>',
    '<tool_call>{"a',
    '[TOOL_CALLS]',
    '[now(\n',
    '```json\n{"a":"',
    '<tool_call>\n<function=a>\n</function>',
  ]) {
    const text = unit.repeat(Math.floor(60_000 / unit.length));
    const tookMs = await cpuTimeOf(async () => {
      const result = await read(detectTextCalls(saying(text.match(/[\s\S]{1,50}/g) ?? [])));
      expect(result.text).toBe(text);
    });
    expect({ unit, slow: tookMs > 5_000 }).toEqual({ unit, slow: false });
  }
});
