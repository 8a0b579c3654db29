import { collect, run } from '@kernel/agent';
import { createInlineSandbox, withCodeMode } from '@kernel/code-mode';
import { textOf } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, test } from 'vitest';

/** Runs a program over a tool that saves and one that fails; returns what the model reads, and what was saved. */
async function readOf(code: string) {
  const saved: number[] = [];
  const parameters = { type: 'object', properties: { id: { type: 'integer' } } } as const;
  const save = { name: 'save', description: 'Saves.', effect: 'write', parameters } as const;
  const fail = { name: 'fail', description: 'Fails.', effect: 'read', parameters } as const;
  const tools = createRegistry([
    bindTool(save, ({ id }) => {
      saved.push(Number(id));
      return `saved ${Number(id)}`;
    }),
    bindTool(fail, () => {
      throw new Error('no such project');
    }),
  ]);
  const { messages } = await collect(
    run({
      provider: scriptedProvider([{ calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'ok' }]),
      model: 'm',
      messages: [{ role: 'user', content: 'Go.' }],
      tools: withCodeMode(tools, { sandbox: createInlineSandbox() }),
      approve: () => ({ decision: 'allow' }),
    }),
  );
  const answer = messages.find(({ role }) => role === 'tool');
  return {
    saved,
    text: answer === undefined ? '' : textOf(answer),
    isError: answer?.role === 'tool' && answer.isError,
  };
}

describe('calls that a program does not await', () => {
  test.each([
    [
      'forEach with an async function',
      '[1, 2, 3].forEach(async (id) => { await tools.save({ id }) }); return "all saved"',
    ],
    [
      'a main function',
      'async function main() { for (const id of [1, 2, 3]) await tools.save({ id }) }\nmain(); return "all saved"',
    ],
    ['after a sleep', 'for (const id of [1, 2, 3]) sleep(5).then(() => tools.save({ id })); return "all saved"'],
    [
      'one after another',
      '(async () => { for (const id of [1, 2, 3]) await tools.save({ id }) })(); return "all saved"',
    ],
  ])('run to their end before the program ends: %s', async (_, code) => {
    verifies('codemode.unawaited');
    const { saved, text, isError } = await readOf(code);
    expect({ saved, text, isError }).toEqual({ saved: [1, 2, 3], text: 'all saved', isError: undefined });
  });

  test('and that fail are told', async () => {
    verifies('codemode.unawaited');
    const { isError, text } = await readOf(
      '[1, 2].forEach(async (id) => { await tools.fail({ id }) });\nreturn "done"',
    );
    expect(text).toMatch(/^done\nNot awaited, and failed: ToolError: .*no such project/);
    expect(text.match(/Not awaited, and failed/g)).toHaveLength(2);
    expect(isError).toBe(true);
  });

  test('and that fail are not told where the program waits for them later', async () => {
    const { text } = await readOf(
      'const late = tools.fail({ id: 1 }); await tools.save({ id: 2 }); try { await late } catch { return "caught" }',
    );
    expect(text).toBe('caught');
  });

  test('do not run where the program has failed before, which is told', async () => {
    verifies('codemode.unawaited');
    const { saved, text } = await readOf('tools.save({ id: 1 }); tools.save({ id: 2 }); throw new Error("no")');
    expect(saved).toEqual([]);
    expect(text).toMatch(/^Error: no[^]*Not run, since the program failed before: 2 calls\.$/);
  });

  test('and that are returned as a list are awaited', async () => {
    const { text } = await readOf('return [1, 2].map(async (id) => tools.save({ id }))');
    expect(text).toBe('["saved 1","saved 2"]');
  });
});

describe('a program gives its result', () => {
  test.each([
    ['one arrow function', 'async () => {\n  return await tools.save({ id: 1 });\n}', 'saved 1'],
    ['one arrow function without a block', 'async () => tools.save({ id: 1 })', 'saved 1'],
    ['one function expression', '(async function () { return 5 })', '5'],
    ['a function that takes the tools', 'async (tools) => tools.save({ id: 1 });', 'saved 1'],
    ['an expression', 'await tools.save({ id: 2 })', 'saved 2'],
    ['an expression at the end, with a comment', 'const a = 1;\na + 1 // two', '2'],
    ['an object', 'const total = 3;\n{ total }', '{"total":3}'],
    ['a call of main', 'async function main() { return tools.save({ id: 3 }) }\nmain();', 'saved 3'],
    [
      'a main that is not called',
      'const ids = [4];\nasync function main() { return tools.save({ id: ids[0] }) }',
      'saved 4',
    ],
    ['an arrow function that is not called', 'const main = async () => tools.save({ id: 5 });', 'saved 5'],
    ['TypeScript', 'const of = (id: number): number => id;\nawait tools.save({ id: of(6) as number })', 'saved 6'],
  ])('as its last statement: %s', async (_, code, expected) => {
    verifies('codemode.result');
    expect((await readOf(code)).text).toBe(expected);
  });

  test.each([
    [
      'what settled',
      'return await Promise.allSettled([tools.save({ id: 1 }), tools.fail({ id: 2 })])',
      'no such project',
    ],
    ['an error', 'return { problem: new TypeError("wrong") }', '{"problem":"TypeError: wrong"}'],
    ['a map', 'return new Map([["a", new Set([1, 2])]])', '{"a":[1,2]}'],
    ['a map with other keys', 'return new Map([[1, "a"]])', '[[1,"a"]]'],
    ['a big number', 'return { n: 12345678901234567890n }', '{"n":"12345678901234567890"}'],
    ['bytes', 'return new Uint8Array([1, 2])', '[1,2]'],
    ['a pattern', 'return [/a+/g]', '["/a+/g"]'],
  ])('with what JSON has no word for: %s', async (_, code, expected) => {
    verifies('codemode.result');
    expect((await readOf(code)).text).toContain(expected);
  });

  test('and its last expression only where it has written nothing', async () => {
    expect((await readOf('const list = [];\nconsole.log("written");\nlist.push(1)')).text).toBe('written');
  });

  test('and says so where there is none', async () => {
    expect((await readOf('const a = 1;')).text).toBe('The program has ended. It returned nothing and wrote nothing.');
  });

  test('and says what to do where a promise is in it', async () => {
    const { isError, text } = await readOf('return { saved: { one: tools.save({ id: 1 }) } }');
    expect([isError, text]).toEqual([true, expect.stringContaining('await it')]);
  });

  test.each([
    [
      'a list that calls fill later',
      'const all = [];\n[1, 2].forEach(async (id) => all.push(await tools.save({ id })));\nreturn all;',
      '["saved 1","saved 2"]',
    ],
    ['promises in the properties of an object', 'return { a: tools.save({ id: 1 }), n: 2 };', '{"a":"saved 1","n":2}'],
    ['an exported function', 'export default async function main() {\n  return tools.save({ id: 1 });\n}', 'saved 1'],
    [
      'an exported function without a name',
      'export default async function () {\n  return tools.save({ id: 1 });\n}',
      'saved 1',
    ],
    ['an exported arrow function', 'const id = 1;\nexport default async () => tools.save({ id });\n', 'saved 1'],
  ])('is whole where it is %s', async (_what, code, text) => {
    verifies('codemode.result');
    expect((await readOf(code)).text).toBe(text);
  });

  test('is never silently nothing where it is a function', async () => {
    verifies('codemode.result');
    const { isError, text, saved } = await readOf('return () => tools.save({ id: 1 });');
    expect([isError, text, saved]).toEqual([true, expect.stringContaining('it is a function: call it.'), []]);
  });
});
