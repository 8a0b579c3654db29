import { expect, test } from 'vitest';
import { createScanner } from '../../src/text-tools/scanner.ts';
import { json } from '../../src/text-tools/formats/json.ts';

const tool = { name: 'now', description: '', parameters: { type: 'object', properties: {} } };

test.each(['```json  \n', '```json\t\r\n', '```tool_call \n', '``` \n', '```\n\n'])(
  'a call in a fence that begins with %j leaves no empty fence as text, however it is cut',
  (open) => {
    const said = `${open}{"name":"now","arguments":{}}\n\n\`\`\`\n`;
    for (let cut = 0; cut <= said.length; cut += 1) {
      const read: string[] = [];
      const listener = {
        text: (text: string) => read.push(text),
        call: ({ name }: { name: string }) => read.push(name),
      };
      const scanner = createScanner(json, new Map([['now', tool]]), listener);
      scanner.push(said.slice(0, cut));
      scanner.push(said.slice(cut));
      scanner.end();
      expect(read).toEqual(['now']);
    }
  },
);

test('a fence of another language stays text', () => {
  let text = '';
  const scanner = createScanner(json, new Map([['now', tool]]), { text: (piece) => (text += piece), call: () => {} });
  const said = '```json5 \n[5]\n```\n```json {"name":"now"}\n```';
  scanner.push(said);
  scanner.end();
  expect(text).toBe(said);
});
