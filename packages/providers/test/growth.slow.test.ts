import { createRedactor } from '@kernel/internal';
import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { httpError } from '../src/http/errors.ts';
import { describeHtmlPage } from '../src/http/vendor-error.ts';
import { parseBaseUrl } from '../src/config/base-url.ts';
import { createSanitizer } from '../src/cassette/sanitizer.ts';
import { TEXT_FORMATS, detectTextCalls, withTextTools } from '../src/text-tools/index.ts';
import { plainResult } from '../src/text-tools/prompts.ts';
import { createCallAssembler } from '../src/wire/call-assembler.ts';
import { read, saying } from './text-tools/support.ts';

const KIB = 1024;
const fill = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const filler =
  (unit: string, before = '', after = '') =>
  (size: number): string =>
    before + fill(unit, size) + after;

const DS = {
  one: '<｜tool▁call▁begin｜>',
  end: '<｜tool▁call▁end｜>',
  sep: '<｜tool▁sep｜>',
  all: '<｜tool▁calls▁begin｜>',
};

const KIMI = '<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>';
const MINIMAX = '<minimax:tool_call><invoke name="now">';

/** Texts that some reader of calls could read again and again. */
const REPLIES: readonly (readonly [string, (size: number) => string])[] = [
  ['braces on lines of their own that never close', filler('{\n')],
  ['braces on lines of their own that close', (size) => `${fill('{\n', size / 2)}${fill('}\n', size / 2)} x`],
  ['brackets on lines of their own that close', (size) => `${fill('[\n', size / 2)}${fill(']\n', size / 2)} x`],
  ['opening tags', filler('<tool_call>')],
  ['the beginning of a tagged call', filler('<tool_call>{"a')],
  ['Qwen calls that close without end', filler('</function></tool_call>', '<tool_call>\n<function=now>\n')],
  ['Qwen parameters that close without end', filler('</parameter>', '<function=now>\n<parameter=a>', '</function>')],
  ['Qwen parameters and white space', filler('</parameter>     ', '<function=now>\n<parameter=a>', 'x</function>')],
  ['DeepSeek calls that close without end', filler(DS.end, `${DS.one}now${DS.sep}{"a":"`)],
  ['DeepSeek calls in a list', filler(DS.end, `${DS.all}${DS.one}now${DS.sep}{"a":"`, '<｜tool▁calls▁end｜>')],
  ['a DeepSeek name and white space', filler(' ', `${DS.one}now`, DS.end)],
  ['a DeepSeek fence of white space', filler(' ', `${DS.one}now\n\`\`\`json`, `\`${DS.end}`)],
  ['a Mistral head of white space', filler(' ', '[TOOL_CALLS]now', '{')],
  ['Mistral marks', filler('[TOOL_CALLS]')],
  ['Mistral names', filler('[TOOL_CALLS]now[ARGS]{')],
  ['Python calls', filler('[now(\n')],
  ['a Python text', filler('\\"', '[now(a="')],
  ['fences', filler('```json\n{"a":"')],
  ['fences of Python', filler('```tool_code\n')],
  ['Gemma 4 marks', filler('<|tool_call>')],
  ['Gemma 4 calls that close without end', filler('}<tool_call|>', '<|tool_call>call:now{a:<|"|>')],
  ['Gemma 4 braces', filler('{', '<|tool_call>call:now{a:')],
  ['Gemma 4 braces that close', (size) => `<|tool_call>call:now${fill('{a:', size / 2)}${fill('}', size / 2)}`],
  ['half of a Gemma 4 quote', filler('<|"|', '<|tool_call>call:now{a:<|"|>')],
  [
    'Gemma 4 quotes',
    // An even number, so that each size ends outside of quotes.
    (size) => `<|tool_call>call:now{a:${'<|"|>,<|"|>,'.repeat(size / 12)}}<tool_call|>`,
  ],
  ['Gemma 4 JSON strings', filler('"\\', '<|tool_call>call:now{a:')],
  ['GLM names', filler('<tool_call>now')],
  ['a GLM name and white space', filler(' ', '<tool_call>now', '</tool_call>')],
  ['a GLM name that does not end', filler('a', '<tool_call>')],
  ['GLM values that close without end', filler('</arg_value></tool_call>', '<tool_call>now<arg_key>a</arg_key>')],
  ['GLM keys', filler('<arg_key>a</arg_key>', '<tool_call>now', '</arg_value></tool_call>')],
  [
    'GLM values and white space',
    filler('</arg_value>   ', '<tool_call>now<arg_key>a</arg_key><arg_value>', '</tool_call>'),
  ],
  ['Kimi marks', filler('<|tool_call_begin|>')],
  ['Kimi sections', filler('<|tool_calls_section_begin|>')],
  ['Kimi calls that close without end', filler('<|tool_call_end|>', `${KIMI}{"a":"`)],
  ['Kimi calls that do not end', filler(`${KIMI}{}`)],
  ['a Kimi head and white space', filler(' ', KIMI, 'x')],
  ['a Kimi call and white space', filler(' ', `${KIMI}{}<|tool_call_end|>`, 'x')],
  ['MiniMax M1 marks', filler('<tool_calls>')],
  ['MiniMax M1 objects that do not end', filler('{}\n', '<tool_calls>')],
  ['MiniMax M1 objects and text', filler('{}{}{}', '<tool_calls>', 'x')],
  ['MiniMax M2 marks', filler('<minimax:tool_call><invoke name=')],
  [
    'MiniMax M2 calls that close without end',
    filler('</invoke></minimax:tool_call>', `${MINIMAX}<parameter name="a">`),
  ],
  [
    'MiniMax M2 parameters',
    filler('</parameter>  </invoke>  ', `${MINIMAX}<parameter name="a">`, '</minimax:tool_call>'),
  ],
  ['Harmony marks', filler('<|channel|>')],
  ['Harmony roles', filler('<|start|>assistant')],
  ['Harmony headers', filler('<|channel|>commentary to=functions.now')],
  ['Harmony messages', filler('<|channel|>commentary to=functions.now<|message|>{"a":"')],
  ['Harmony messages to nobody', filler('<|channel|>commentary<|message|>{"a":"')],
  ['white space', filler(' \n\t')],
  ['a long line of spaces', filler(' ')],
  ['half of a mark', filler('<')],
];

test.each(REPLIES)('reading a streamed reply of %s takes linear time', async (_, make) => {
  verifies('grammar.text.hostile');
  await expectLinear({
    make: (size) => make(size).match(/[\s\S]{1,12}/g) ?? [],
    work: (pieces) => read(detectTextCalls(saying(pieces))),
    largest: 32 * KIB,
  });
});

test.each<readonly [string, (size: number) => string]>([
  ['objects that begin like calls', filler('{"name": "')],
  ['objects that are no calls', filler('{"name": 1} ')],
  ['braces', filler('{ ')],
  ['braces that nest', filler('{"name":')],
])('reading a streamed Llama reply of %s between words takes linear time', async (_, make) => {
  verifies('grammar.text.hostile');
  await expectLinear({
    make: (size) => `x ${make(size)}`.match(/[\s\S]{1,12}/g) ?? [],
    work: (pieces) => read(withTextTools(saying(pieces), 'llama3-json')),
    largest: 64 * KIB,
  });
});

test.each(TEXT_FORMATS)('a long call that arrives in small pieces takes linear time: %s', async (format) => {
  verifies('grammar.text.hostile');
  const inner = saying(['ok']);
  const call = { type: 'tool-call', id: 'a', name: 'write_file', arguments: '{"text":"@"}' } as const;
  await read(withTextTools(inner, format), {
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [call] },
    ],
  });
  const said = inner.requests[0]?.messages.at(-1);
  const text = said === undefined ? '' : textOf(said);
  await expectLinear({
    make: (size) => text.replace('@', 'x'.repeat(size)).match(/[\s\S]{1,8}/g) ?? [],
    work: async (pieces) => expect((await read(withTextTools(saying(pieces), format))).calls).toHaveLength(1),
    largest: 32 * KIB,
  });
});

const redactor = createRedactor(['a-secret-of-a-test']);
const base64 = filler('QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo/abc/node_modules/');

test.each<readonly [string, (size: number) => string]>([
  ['base64', base64],
  ['titles', filler('<title', '<html>')],
  ['open tags', filler('<html ')],
  ['white space', filler(' ')],
  ['nested arrays', filler('[')],
  ['the beginning of a secret', filler('a-secret-')],
])('the error of a body of %s is made in linear time', async (_, make) => {
  verifies('providers.http.linear');
  await expectLinear({ make, work: (body) => httpError('p', 500, {}, body, redactor) });
});

test.each<readonly [string, (size: number) => string, (text: string) => unknown]>([
  ['a page', filler('<title', '<html>'), describeHtmlPage],
  ['a base URL', filler('/', 'http://host/', 'x'), (text) => parseBaseUrl('p', text)],
  ['a tool result for a model', filler('<[`'), plainResult],
  ['a tool result of marks', filler('<tool_call>'), plainResult],
  ['a cassette', filler('-eyJaaaaaaaaa'), (text) => createSanitizer(['a-secret-of-a-test']).text(text)],
])('%s is read in linear time', async (_, make, work) => {
  verifies('providers.http.linear');
  await expectLinear({ make, work });
});

test('arguments that are complete and go on arriving take linear time', async () => {
  verifies('providers.http.linear');
  await expectLinear({
    make: (size) => size,
    work(size) {
      const calls = createCallAssembler();
      calls.add({ index: 0, id: 'a', name: 'now', arguments: `{"a":"${'x'.repeat(size)}"}` });
      for (let at = 0; at < size; at += 64) calls.add({ index: 0, arguments: '{"a":1}' });
    },
    largest: 32 * KIB,
  });
});
