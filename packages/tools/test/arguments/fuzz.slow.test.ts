import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type ToolBinding, bindTool, createRegistry } from '../../src/index.ts';
import { context } from '../support.ts';

/** A small generator of pseudo-random numbers, the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = createRandom(20261121);
const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
const NAMES = ['a', 'b', 'path', '__proto__', 'constructor', 'toString', '', 'a/b', 'é', 'length'];
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

function schema(depth: number): Record<string, unknown> {
  const kind = random(depth > 3 ? 6 : 12);
  if (kind < 3) return { type: pick(TYPES) };
  if (kind === 3) return { enum: [1, 'a', null, { x: 1 }, [2]] };
  if (kind === 4) return { type: 'integer', minimum: random(5), maximum: 5 + random(5) };
  if (kind === 5) return { type: 'string', minLength: random(3), pattern: '^[a-z]*$' };
  if (kind === 6) return { type: 'array', items: schema(depth + 1), uniqueItems: random(2) === 0, maxItems: 5 };
  if (kind === 7) return { anyOf: [schema(depth + 1), schema(depth + 1)] };
  if (kind === 8) return { oneOf: [schema(depth + 1), schema(depth + 1)] };
  if (kind === 9) return { not: schema(depth + 1) };
  return objectSchema(depth + 1);
}

function objectSchema(depth: number): Record<string, unknown> {
  const names = [...new Set(Array.from({ length: 1 + random(4) }, () => pick(NAMES)))];
  const closed = pick([
    {},
    {},
    { additionalProperties: false },
    { additionalProperties: { type: 'string' } },
    { unevaluatedProperties: false },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schema(depth)])),
    required: names.filter(() => random(3) === 0),
    ...closed,
  };
}

function value(depth: number): unknown {
  const kind = random(depth > 3 ? 8 : 10);
  const plain = [
    null,
    true,
    random(10),
    -1.5,
    '',
    pick(['5', 'true', 'null', '[1]', '{"a":1}', 'abc', '😀', '"x"']),
    1e21,
    'a'.repeat(random(20)),
  ];
  if (kind < 8) return plain[kind];
  if (kind === 8) return Array.from({ length: random(4) }, () => value(depth + 1));
  return Object.fromEntries(Array.from({ length: random(4) }, () => [pick(NAMES), value(depth + 1)]));
}

/** JSON text of a value, one time in three damaged: cut, doubled, or with a character changed. */
function text(): string {
  const whole = JSON.stringify(
    random(8) === 0 ? value(0) : Object.fromEntries(Array.from({ length: random(5) }, () => [pick(NAMES), value(1)])),
  );
  const at = random(whole.length + 1);
  const damages = [
    whole,
    whole,
    whole,
    whole,
    whole.slice(0, at),
    whole + whole,
    `${whole.slice(0, at)}${pick(['"', '{', '}', '\\', ',', '\u0000', '\uD800'])}${whole.slice(at + 1)}`,
  ];
  return damages[random(damages.length)] ?? whole;
}

test('4,000 random argument texts against 200 schemas each end in a result: nothing is thrown, nothing hangs', async () => {
  verifies('tools.execute.malformed', 'tools.execute.validate', 'tools.execute.coerce');
  const bindings: ToolBinding[] = Array.from({ length: 200 }, (_, index) =>
    bindTool({ name: `tool_${index}`, description: 'd', parameters: objectSchema(0) }, (input) => {
      const { validator } = bindings[index]?.input ?? {};
      return validator?.().test(input) === true ? 'ok' : 'BAD';
    }),
  );
  const registry = createRegistry(bindings);
  const codes = new Map<string, number>();
  for (let count = 0; count < 4000; count += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await callTool(
      registry,
      { type: 'tool-call', id: 'c', name: `tool_${count % 200}`, arguments: text() },
      context(),
    );
    const outcome = result.code ?? result.forLLM.slice(0, 3).trim();
    codes.set(outcome, (codes.get(outcome) ?? 0) + 1);
  }
  expect([...codes.keys()].toSorted()).toEqual(['ARGUMENTS_INVALID', 'ok']);
  expect(codes.get('ok')).toBeGreaterThan(200);
});
