import { collect, run } from '@kernel/agent';
import type { JsonValue, Message, Provider } from '@kernel/protocol';
import { createMemoryJournal, type JournalEntries, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { createInlineSandbox, withCodeMode } from '@kernel/code-mode';

const id = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } as const;
const messages: readonly Message[] = [{ role: 'user', content: 'Go.' }];
const sandbox = createInlineSandbox();

/** A model that has these programs run, one after another, wherever the run continues. */
function programsInTurn(...codes: readonly string[]): Provider {
  return {
    name: 'scripted',
    async *stream({ messages: history }) {
      const code = codes[history.filter(({ role }) => role === 'tool').length];
      const call = {
        type: 'tool-call',
        id: `call-${history.length}`,
        name: 'run_code',
        arguments: JSON.stringify({ code }),
      } as const;
      const content = code === undefined ? [{ type: 'text' as const, text: 'done' }] : [call];
      yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
    },
  };
}

/** Programs of all shapes: calls in turn, at once, nested, caught, slept between, and decided by what came back. */
const PROGRAMS: readonly string[] = [
  `return await tools.read({ id: 1 })`,
  `return await tools.write({ id: 1 })`,
  `const a = await tools.read({ id: 1 }); return await tools.write({ id: a.n })`,
  `return await Promise.all([1, 2, 3].map((id) => tools.read({ id })))`,
  `return await Promise.all([1, 2, 3].map((id) => tools.write({ id })))`,
  `for (const id of [1, 2, 3]) await tools.write({ id }); return 'all'`,
  `const r = await Promise.all([tools.read({ id: 1 }), tools.write({ id: 2 })]); await tools.write({ id: 3 }); return r.length`,
  `try { await tools.fail({ id: 1 }) } catch { await tools.write({ id: 4 }) } return 'caught'`,
  `await sleep(1); await tools.write({ id: 1 }); await sleep(1); return Date.now() > 0`,
  `const a = []; for await (const x of (async function* () { yield tools.read({ id: 1 }); yield tools.read({ id: 2 }) })()) a.push(x.n); return a`,
  `const n = Math.floor(Math.random() * 1000); const { n: m } = await tools.read({ id: n }); return n === m`,
  `store('a', 1); const r = await tools.read({ id: load('a') }); store('a', r.n + 1); return load('a')`,
  `console.log('before'); await tools.write({ id: 1 }); console.log('after'); return 1`,
  `return (await Promise.allSettled([tools.fail({ id: 1 }), tools.write({ id: 2 })])).map(({ status }) => status)`,
  `const first = await Promise.race([tools.read({ id: 1 }), tools.read({ id: 2 })]); return first.n`,
  `const work = async (id) => { const { n } = await tools.read({ id }); return tools.write({ id: n }) }; return await Promise.all([1, 2].map(work))`,
  `let id = 1; while (id < 4) id = (await tools.read({ id: id + 1 })).n; return id`,
  `tools.write({ id: 1 }); await tools.read({ id: 2 }); return 'not awaited'`,
  `await tools.write({ id: 1 }); throw new Error('after the write')`,
];

/** One attempt at a run of a program, over what earlier attempts recorded; undefined if it was killed. */
async function attempt(code: string, entries: JournalEntries, written: number[], dieAt?: number) {
  const provider = programsInTurn(code);
  const read = bindTool({ name: 'read', description: 'Reads.', effect: 'read', parameters: id }, (input) => ({
    n: Number(input['id']),
  }));
  const write = bindTool({ name: 'write', description: 'Writes.', effect: 'external', parameters: id }, (input) => {
    written.push(Number(input['id']));
    return `wrote ${Number(input['id'])}`;
  });
  const fail = bindTool({ name: 'fail', description: 'Fails.', effect: 'read', parameters: id }, () => {
    throw new Error('no');
  });
  const steps = createMemoryJournal({ entries, dieAt });
  const tools = withCodeMode(createRegistry([read, write, fail]), { sandbox });
  const result = await collect(run({ provider, model: 'm', messages, tools, steps, runId: 'r' }));
  const answered = result.messages.find(({ role }) => role === 'tool');
  return { answer: answered?.content, isDead: steps.isDead, points: steps.points };
}

test.each(PROGRAMS.map((code) => [code]))(
  'killed at any point, it continues without losing or repeating anything: %s',
  async (code) => {
    verifies('codemode.killed');
    const written: number[] = [];
    const whole = await attempt(code, new Map(), written);
    expect(whole.isDead).toBe(false);
    for (let dieAt = 1; dieAt <= whole.points; dieAt += 1) {
      const entries: JournalEntries = new Map();
      const effects: number[] = [];
      const first = await attempt(code, entries, effects, dieAt);
      expect(first.isDead).toBe(true);
      const second = await attempt(code, entries, effects);
      expect(second.isDead).toBe(false);
      // At most once: what had begun and has no outcome is not tried again, and the program is told.
      expect(new Set(effects).size).toBe(effects.length);
      const isUnknown = JSON.stringify([...entries.values()]).includes('OUTCOME_UNKNOWN');
      if (isUnknown) continue;
      expect(effects.toSorted((a, b) => a - b)).toEqual(written.toSorted((a, b) => a - b));
      // Random numbers are those of the attempt that began.
      expect(code.includes('Math.random') ? whole.answer : second.answer).toBe(whole.answer);
    }
  },
);

test('values that a program stored are there for the next one in another process, where they are kept', async () => {
  verifies('codemode.values');
  const kept = new Map<string, Readonly<Record<string, JsonValue>>>();
  const values = {
    load: async (runId: string) => kept.get(runId),
    save: async (runId: string, all: Readonly<Record<string, JsonValue>>) => void kept.set(runId, all),
  };
  const provider = programsInTurn(`store('ids', [1, 2])`, `return load('ids')`);
  for (let dieAt = 1; ; dieAt += 1) {
    const entries: JournalEntries = new Map();
    kept.clear();
    const process = async (steps = createMemoryJournal({ entries })) =>
      collect(
        run({
          provider,
          model: 'm',
          messages,
          tools: withCodeMode(createRegistry(), { sandbox, values }),
          steps,
          runId: 'r',
        }),
      );
    const first = createMemoryJournal({ entries, dieAt });
    await process(first);
    if (!first.isDead) break;
    const { messages: history } = await process();
    expect(history.findLast(({ role }) => role === 'tool')?.content).toBe('[1,2]');
  }
});
