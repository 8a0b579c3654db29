import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { TEXT_FORMATS, detectTextCalls, withTextTools } from '../../src/text-tools/index.ts';
import { SAMPLES as OTHERS, TEXTS as OTHER_TEXTS } from './samples.ts';
import { letters, read, saying } from './support.ts';
import { VENDOR_SAMPLES, VENDOR_TEXTS } from './vendor-samples.ts';

const SAMPLES = [...OTHERS, ...VENDOR_SAMPLES];
const TEXTS = [...OTHER_TEXTS, ...VENDOR_TEXTS];

const cut = (text: string, at: number): string[] => [text.slice(0, at), text.slice(at)];

for (const [index, sample] of SAMPLES.entries()) {
  test(`${sample.format} (${index}): calls with ids, complete arguments and the text around them, for every split`, async () => {
    verifies('grammar.text.formats', 'grammar.text.vendors', 'grammar.text.stream');
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

test('a long reply of hostile marks is passed on as text', async () => {
  verifies('grammar.text.stream');
  for (const unit of ['{\n', '<tool_call>', '<tool_call>{"a', '[TOOL_CALLS]', '[now(\n', '```json\n{"a":"']) {
    const text = unit.repeat(1000);
    expect((await read(detectTextCalls(saying(text.match(/[\s\S]{1,50}/g) ?? [])))).text).toBe(text);
  }
});
