import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { withProject } from '../lib/ts.ts';
import { documented } from '../rules/documented.ts';
import { tree } from './fixture-tree.ts';

const example = '/**\n * One.\n *\n * @example\n * ```ts\n * f();\n * ```\n */\nexport declare function f(): void;\n';

function check(text: string): readonly string[] {
  const root = tree({
    'packages/a/package.json': '{"name":"@kernel/a","exports":{".":{"types":"./dist/index.d.ts"}}}',
    'packages/a/dist/index.d.ts': text,
    'tsconfig.json': '{"compilerOptions":{"noEmit":true},"include":["packages/*/dist/*.d.ts"]}',
  });
  return withProject(join(root, 'tsconfig.json'), (exportsOf) => documented(root, exportsOf)).map(
    ({ message }) => message,
  );
}

function missing(...names: readonly string[]): readonly string[] {
  return names.map((name) => `"${name}" has no doc comment.`);
}

test('names what has no doc comment in the declarations, and entry points without an example', () => {
  verifies('docs.documented');
  expect(check(`${example}/** A. */\nexport interface A {\n  readonly type: 'a';\n}\n`)).toEqual([]);
  expect(
    check('/** A. */\nexport interface A {\n  readonly a: 1;\n  b(): void;\n}\nexport declare const c: 1;\n'),
  ).toEqual([...missing('A.a', 'A.b', 'c'), 'no export of "." has an @example.']);
});

describe('members of object types in a declaration', () => {
  test.each([
    ['in an object', 'export interface A {\n  /** B. */\n  b: { c: string };\n}', ['A.b.c']],
    [
      'two levels down, in a list',
      'export interface A {\n  /** B. */\n  b: { c: { d: 1 }[] };\n}',
      ['A.b.c', 'A.b.c.d'],
    ],
    ['in a union', "export interface A {\n  /** B. */\n  b: { type: 'x'; x: 1 } | string;\n}", ['A.b.x']],
    ['in a parameter', 'export interface A {\n  /** B. */\n  b(c: { d(): void }): void;\n}', ['A.b.d']],
    [
      'in an inherited member',
      'export interface A extends B {}\ninterface B {\n  /** B. */\n  b: { c: 1 };\n}',
      ['A.b.c'],
    ],
    ['in the options of a function', 'export declare function g(a: { b: 1 }): void;', ['g.b']],
    ['in a type alias', 'export type A = { a: 1 } & {\n  /** B. */\n  b: { c: 1 };\n};', ['A.a', 'A.b.c']],
    [
      'beside a member with one, in a variant',
      'export type A = { c: 1 } | {\n  a: 1;\n  /** B. */\n  b: 1;\n};',
      ['A.a'],
    ],
    ['if it is an optional literal', "export interface A {\n  /** B. */\n  b: { c?: 'c' };\n}", ['A.b.c']],
  ])('need a doc comment: %s', (_place, text, names) => {
    verifies('docs.documented');
    expect(check(`${example}/** Doc. */\n${text}\nexport {};\n`)).toEqual(missing(...names));
  });

  test.each([
    ['have one', 'export interface A {\n  /** B. */\n  b: {\n    /** C. */\n    c: 1;\n  };\n}'],
    ['discriminate a union', "export interface A {\n  /** B. */\n  b: { type: 'x' } | { readonly type: 'y' };\n}"],
    [
      'are in variants that are described as a whole',
      'export type A =\n  /** One. */\n  | { a: 1 }\n  /** Two. */\n  | { b: { c: 1 } };',
    ],
  ])('pass if they %s', (_reason, text) => {
    verifies('docs.documented');
    expect(check(`${example}/** Doc. */\n${text}\n`)).toEqual([]);
  });
});
