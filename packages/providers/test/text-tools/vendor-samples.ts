import { type Sample, file, nested, o, tricky, weather } from './samples.ts';

const j = JSON.stringify;
const QUOTE = '<|"|>';
const g = (text: string): string => `${QUOTE}${text}${QUOTE}`;
const gemmaCall = (name: string, fields: string): string => `<|tool_call>call:${name}{${fields}}<tool_call|>`;
const kimiCall = (id: string, args: unknown): string =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${j(args)}<|tool_call_end|>`;
const SECTION = { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' };
const pair = (key: string, value: string, between = '\n'): string =>
  `<arg_key>${key}</arg_key>${between}<arg_value>${value}</arg_value>${between}`;
const parameter = (name: string, value: string): string => `<parameter name="${name}">${value}</parameter>\n`;
const harmony = (header: string, args: unknown): string => `${header}<|message|>${j(args)}`;
const TO = '<|channel|>commentary to=functions.';

const now = ['now', {}] as const;
/** Arguments that contain the marks of each format. */
const marks = {
  path: '</arg_value> </parameter> <|call|> <tool_call|>',
  text: '<|tool_call>call:now{} <tool_call>now</tool_call> <|tool_call_end|> </tool_calls> <invoke name="now"></invoke> <|message|>',
};
const marked = ['write_file', marks] as const;

/** Replies in the formats of one vendor each, as the models and the parsers of others have them. */
export const VENDOR_SAMPLES: readonly Sample[] = [
  {
    format: 'gemma4',
    said: `Well. ${gemmaCall('get_weather', `city:${g('Oslo')},days:2`)}${gemmaCall('write_file', `path:${g('a.json')},text:${g(tricky.text)}`)} Bye.`,
    calls: [weather, file],
    text: 'Well.  Bye.',
  },
  {
    format: 'gemma4',
    said: `<|tool_call>:call: get_weather {options:{a:[{b:${g('}')}},[1,2]],${g('c')}:{"d":none}}}<turn|>`,
    calls: [nested],
  },
  {
    format: 'gemma4',
    said: `${gemmaCall('get_weather', 'city:"Os\\"lo", options: {a: -1.5e3, b:True, c : new york , d:[], e:{}, f:12:30,}')}\n${gemmaCall('now', '')}<|tool_response>`,
    calls: [
      ['get_weather', { city: 'Os"lo', options: { a: -1500, b: true, c: 'new york', d: [], e: {}, f: '12:30' } }],
      now,
    ],
  },
  {
    format: 'gemma4',
    said: gemmaCall('write_file', `path:${g(marks.path)},text:${g(marks.text)}`),
    calls: [marked],
  },
  {
    format: 'glm',
    said: `I look.\n<tool_call>get_weather\n${pair('city', 'Oslo')}${pair('days', '2')}</tool_call>\n<tool_call>write_file\n${pair('path', 'a.json')}${pair('text', tricky.text)}</tool_call>\nSo.`,
    calls: [weather, file],
    text: 'I look.\n\nSo.',
  },
  {
    format: 'glm',
    said: `<tool_call>get_weather${pair('city', '5', '')}${pair('options', j(nested[1].options), '')}</tool_call><tool_call>now</tool_call><tool_call>now\n</tool_call>`,
    calls: [['get_weather', { city: '5', options: nested[1].options }], now, now],
  },
  {
    format: 'glm',
    said: `<tool_call> write_file ${pair('path', marks.path, ' ')}${pair('text', ` ${marks.text}\n`, ' ')}</tool_call>`,
    calls: [['write_file', { ...marks, text: ` ${marks.text}\n` }]],
  },
  {
    format: 'kimi-k2',
    said: `Hm.${SECTION.open}${kimiCall('functions.get_weather:0', weather[1])}\n${kimiCall('functions.write_file:1', tricky)}${SECTION.close}<|im_end|>`,
    calls: [weather, file],
    text: 'Hm.',
  },
  {
    format: 'kimi-k2',
    said: `<|tool_call_section_begin|> ${kimiCall(' get_weather:12 ', nested[1])}<|tool_call_section_end|> Then. ${kimiCall('now', {})}`,
    calls: [nested, now],
    text: ' Then. ',
  },
  {
    format: 'kimi-k2',
    said: `${SECTION.open}\n${kimiCall('functions.write_file:3', marks)}\n<|tool_call_begin|>functions.now:4<|tool_call_argument_begin|> <|tool_call_end|>${SECTION.close}`,
    calls: [marked, now],
  },
  {
    format: 'minimax-m1',
    said: `Let me see. <tool_calls>\n${o(weather)}\n${o(file)}\n</tool_calls><end_of_sentence>`,
    calls: [weather, file],
    text: 'Let me see. ',
  },
  {
    format: 'minimax-m1',
    said: `<tool_calls>[${o(nested)}, ${o(marked)}]</tool_calls>`,
    calls: [nested, marked],
  },
  {
    format: 'minimax-m2',
    said: `Sure.\n<minimax:tool_call>\n<invoke name="get_weather">\n${parameter('city', 'Oslo')}${parameter('days', '2')}</invoke>\n<invoke name="write_file">\n${parameter('path', '\na.json\n')}${parameter('text', tricky.text)}</invoke>\n</minimax:tool_call>[e~[`,
    calls: [weather, file],
    text: 'Sure.\n',
  },
  {
    format: 'minimax-m2',
    said: `<minimax:tool_call><invoke name='get_weather'><parameter name=options>${j(nested[1].options)}</parameter></invoke><invoke name="now"></invoke></minimax:tool_call>`,
    calls: [nested, now],
  },
  {
    format: 'minimax-m2',
    said: `<minimax:tool_call>\n<invoke name="write_file">\n${parameter('path', marks.path)}${parameter('text', `${marks.text}</invoke>\n`)}</invoke>\n</minimax:tool_call>`,
    calls: [['write_file', { ...marks, text: `${marks.text}</invoke>\n` }]],
  },
  {
    format: 'gpt-oss',
    said: `<|channel|>analysis<|message|>Need it.<|end|>${harmony(`<|start|>assistant${TO}get_weather <|constrain|>json`, weather[1])}<|call|>${harmony(`<|start|>assistant${TO}write_file<|constrain|>json`, tricky)}<|call|>`,
    calls: [weather, file],
    text: '<|channel|>analysis<|message|>Need it.<|end|>',
  },
  {
    format: 'gpt-oss',
    said: `${harmony('<|start|>assistant to=functions.get_weather<|channel|>commentary json', nested[1])}<|end|>${harmony(`${TO}write_file`, marks)}`,
    calls: [nested, marked],
  },
  {
    format: 'gpt-oss',
    said: `${harmony('<|channel|>analysis to=get_weather code', weather[1]).replace(' code', '')}<|call|>${TO}now <|constrain|>json<|message|><|call|>`,
    calls: [weather, now],
  },
];

/** Text that looks like calls in those formats and holds none. */
export const VENDOR_TEXTS: readonly string[] = [
  gemmaCall('rm_rf', `path:${g('/')}`),
  `<|tool_call>call:get_weather{city:${g('Oslo')}`,
  `<|tool_call>call:get_weather{city:${g('Oslo')}}<tool_call`,
  '<|tool_call>call:get_weather{city:<b>Oslo</b>}<tool_call|>',
  '<|tool_call>call:get_weather{city}<tool_call|> <|tool_call>now{}<tool_call|>',
  `<tool_call>rm_rf${pair('path', '/')}</tool_call>`,
  `<tool_call>get_weather\n${pair('city', 'Oslo')}`,
  '<tool_call>get_weather<arg_key>city</arg_key></tool_call> <tool_call>is a tag</tool_call>',
  `${SECTION.open}${kimiCall('functions.rm_rf:0', {})}${SECTION.close}`,
  `${SECTION.open}${SECTION.close} <|tool_call_begin|>now`,
  '<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}',
  '<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>[]<|tool_call_end|>',
  `<tool_calls>${o(now)}`,
  `<tool_calls>${o(now)} and {}</tool_calls>`,
  `<tool_calls></tool_calls> <tool_calls>${o(['rm_rf', {}])}</tool_calls>`,
  '<minimax:tool_call></minimax:tool_call> <minimax:tool_call>now</minimax:tool_call>',
  '<minimax:tool_call><invoke name="now"></invoke>',
  `<minimax:tool_call><invoke name="get_weather">${parameter('city', 'Oslo')}</minimax:tool_call>`,
  '<minimax:tool_call><invoke name="now"></invoke><invoke name="rm_rf"></invoke></minimax:tool_call>',
  '<|channel|>final<|message|>It rains.<|return|>',
  '<|channel|>commentary<|message|>{"city": "Oslo"}<|call|>',
  `${TO}get_weather <|constrain|>json<|message|>{"city": "Os`,
  `${TO}rm_rf <|constrain|>json<|message|>{}<|call|>`,
  `${TO}now <|constrain|>json<|message|>at once<|call|>`,
  '<|start|>user<|message|>to=functions.now<|end|><|start|>assistant',
];
