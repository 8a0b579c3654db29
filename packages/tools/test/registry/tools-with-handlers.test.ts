import type { ToolWithHandler } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createRegistry, defineTool } from '../../src/index.ts';
import { z } from 'zod';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

const add: ToolWithHandler = {
  tool: {
    name: 'add',
    description: 'Adds two numbers.',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    effect: 'read',
  },
  handler: ({ a, b }: { a: number; b: number }) => String(a + b),
};

describe('a tool with its handler, as a package offers it that knows no registry', () => {
  it('is registered as it is, and its arguments are validated', async () => {
    verifies('tools.register.implementation');
    const registry = createRegistry([add]);
    expect(registry.list()).toEqual([add.tool]);
    expect((await registry.execute('add', { a: 1, b: 2 })).forLLM).toBe('3');
    expect(await registry.execute('add', { a: 'x' })).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
  });

  it('stands beside bindings, by register, registerAll and replace', async () => {
    const greet = defineTool({ name: 'greet', description: 'Greets.', input: z.object({}), handler: () => 'hello' });
    const registry = createRegistry([greet, add]);
    registry.register({ ...add, tool: { ...add.tool, name: 'plus' } });
    registry.registerAll([{ ...add, tool: { ...add.tool, name: 'sum' } }]);
    registry.replace({ ...add, handler: () => 'replaced' });
    expect(registry.names()).toEqual(['greet', 'add', 'plus', 'sum']);
    expect((await registry.execute('add', { a: 1, b: 2 })).forLLM).toBe('replaced');
  });

  it('has its own time limit and concurrency', async () => {
    const registry = createRegistry([{ ...add, timeoutMs: 5, handler: () => new Promise(() => {}) }]);
    expect(registry.get('add')).toMatchObject({ timeoutMs: 5 });
    expect(await registry.execute('add', { a: 1, b: 2 })).toMatchObject({ isError: true, outcome: 'timeout' });
    expect(() => createRegistry([{ ...add, concurrency: 0 }])).toThrow('concurrency');
  });

  it('keeps the object that its handler is a method of', async () => {
    class Counter {
      readonly tool = {
        name: 'count',
        description: 'Counts.',
        parameters: { type: 'object', properties: {} },
      } as const;
      #count = 0;
      handler(): string {
        this.#count += 1;
        return String(this.#count);
      }
    }
    const registry = createRegistry([new Counter()]);
    await registry.execute('count', {});
    expect((await registry.execute('count', {})).forLLM).toBe('2');
  });

  it('is refused with a bad name, a bad schema or no handler, and nothing is added', () => {
    const registry = createRegistry();
    for (const bad of [
      { ...add, tool: { ...add.tool, name: 'not a name' } },
      { ...add, tool: { ...add.tool, parameters: { type: 'strin' } } },
    ])
      expect(() => registry.registerAll([add, bad])).toThrow(/not a name|strin/);
    // @ts-expect-error A handler is required.
    expect(() => registry.register({ tool: add.tool })).toThrow('Only a ToolBinding or a tool with its handler');
    expect(registry.size).toBe(0);
  });

  it('says which context it needs, to the compiler', () => {
    const needing: ToolWithHandler<{ readonly user: string }> = {
      ...add,
      handler: (_input, { context }) => context?.user,
    };
    const registry = createRegistry([needing, { ...add, tool: { ...add.tool, name: 'plus' } }]);
    type Needed = NonNullable<Parameters<typeof registry.prepare>[1]['context']>;
    expectTypeOf<Needed>().toEqualTypeOf<{ readonly user: string }>();
  });
});
