import type { TextFormatName } from '../../src/text-tools/index.ts';

/** A reply in one format, and what is read out of it. */
export interface Sample {
  readonly format: TextFormatName;
  readonly said: string;
  readonly calls: readonly (readonly [string, unknown])[];
  readonly text?: string;
}

/** Calls as a test expects them. */
export const weather = ['get_weather', { city: 'Oslo', days: 2 }] as const;
export const tricky = { path: 'a.json', text: '{"}]": "</tool_call> \\" [x]"}' };
export const file = ['write_file', tricky] as const;
export const nested = ['get_weather', { options: { a: [{ b: '}' }, [1, 2]], c: { d: null } } }] as const;
const j = JSON.stringify;
/** A call object in JSON. */
export const o = ([name, args]: readonly [string, unknown], key = 'arguments'): string =>
  `{"name": ${j(name)}, "${key}": ${j(args)}}`;
const DS = {
  all: '<｜tool▁calls▁begin｜>',
  allEnd: '<｜tool▁calls▁end｜>',
  one: '<｜tool▁call▁begin｜>',
  end: '<｜tool▁call▁end｜>',
  sep: '<｜tool▁sep｜>',
};

/** Replies in the formats of the guide. */
export const SAMPLES: readonly Sample[] = [
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
export const TEXTS: readonly string[] = [
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
