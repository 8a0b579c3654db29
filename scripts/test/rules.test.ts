import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../lib/problem.ts';
import { fileShape, MAX_LINES } from '../rules/file-shape.ts';
import { getters } from '../rules/getters.ts';
import { layers } from '../rules/layers.ts';
import { flagList, writeFlagList } from '../rules/flag-list.ts';
import { snippets, syncSnippets } from '../rules/snippets.ts';
import { vendorNames } from '../rules/vendor-names.ts';
import { tree } from './fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../..');
const messages = (rule: Rule, files: Readonly<Record<string, string>>) =>
  rule(tree(files)).map(({ message }) => message);

/** Written so that the rule does not find it here. */
const META = 'import.meta';

describe('layers', () => {
  test.each([
    ['a sibling', 'packages/tools/src/a.ts', "import { run } from '@kernel/agent';"],
    ['a sibling’s type', 'packages/agent/src/a.ts', "import type { ToolRegistry } from '@kernel/tools';"],
    ['a sibling, re-exported', 'packages/agent/src/a.ts', "export { createRegistry } from '@kernel/tools';"],
    [
      'a sibling, over several lines',
      'packages/agent/src/a.ts',
      "import {\n  createRegistry,\n} from '@kernel/tools';",
    ],
    ['a sibling, lazily', 'packages/agent/src/a.ts', "const x = await import('@kernel/providers');"],
    ['a sibling by its path', 'packages/agent/src/a.ts', "import '../../tools/src/index.ts';"],
    ['anything by protocol', 'packages/protocol/src/a.ts', "import { join } from 'node:path';"],
    ['zod by protocol’s root', 'packages/protocol/src/index.ts', "export * from 'zod';"],
    ['zod by tools, even its types', 'packages/tools/src/a.ts', "import type * as z from 'zod';"],
    ['an unlisted library', 'packages/providers/src/a.ts', "import axios from 'axios';"],
  ])('refuses %s', (_name, file, text) => {
    verifies('architecture.layers');
    expect(layers(tree({ [file]: text }))).toHaveLength(1);
  });

  test('allows what the design draws', () => {
    const allowed = {
      'packages/protocol/src/schemas/index.ts': "import * as z from 'zod';\nimport { x } from './x.ts';",
      'packages/providers/src/a.ts': "import { Pool } from 'undici';\nimport type { Tool } from '@kernel/protocol';",
      'apps/prompt-agent/src/cli.ts':
        "import { run } from '@kernel/agent';\nimport { createRegistry } from '@kernel/tools';",
    };
    expect(layers(tree(allowed))).toEqual([]);
  });
});

describe('getters', () => {
  const text = 'export const make = () => ({\n  get size() {\n    return 1;\n  },\n});\n';

  test('refuses a getter in an object that is made for each request', () => {
    verifies('architecture.clean');
    expect(messages(getters, { 'packages/providers/src/a.ts': text })).toEqual([
      '"get size() {" is a getter: make it a function.',
    ]);
  });

  test('allows one where the object lives as long as the program, and functions named get', () => {
    const files = {
      'packages/tools/src/registry/registry.ts': text,
      'packages/agent/src/a.ts': '  get(name) {\n  getSize() {',
    };
    expect(messages(getters, files)).toEqual([]);
  });
});

describe('file-shape', () => {
  const file = 'packages/tools/src/a.ts';
  test.each([
    ['a file of one line too many', { [file]: 'x\n'.repeat(MAX_LINES + 1) }, `${MAX_LINES + 1} lines`],
    ['a name in camelCase', { 'packages/tools/src/someFile.ts': '' }, 'kebab-case'],
    ['any', { [file]: 'const x: any = 1;' }, '`any`'],
    ['an array of any', { [file]: 'let x: any[];' }, '`any`'],
    ['as any', { [file]: 'f(x as any);' }, '`any`'],
    ['any in a type argument', { [file]: 'new Map<string, any>();' }, '`any`'],
    ['a silenced check', { [file]: '// @ts-ignore' }, 'silenced'],
    ['a stub', { [file]: '// TODO: later' }, 'stub'],
    ['an index that does more than export', { 'packages/tools/src/index.ts': 'export const x = 1;' }, 'only exports'],
  ])('refuses %s', (_name, files, message) => {
    expect(messages(fileShape, files)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['of an address', 'scripts/a.ts', `f(\n  new URL(\`./\${g(1)}.ts\`, ${META}.url).pathname,\n);`],
    ['of a resolved module', 'vitest.config.ts', `new URL(${META}.resolve('x')).pathname`],
    ['of a name for an address', 'bench/src/a.js', `const at = new URL('.', ${META}.url);\n\nf(at.pathname);`],
  ])('refuses the pathname %s, in a script too', (_name, at, text) => {
    expect(messages(fileShape, { [at]: text })).toEqual([expect.stringContaining('use fileURLToPath')]);
  });

  test('takes the pathname of an address of the web', () => {
    const text = `const at = new URL('http://host/a');\nf(at.pathname, fileURLToPath(new URL('.', ${META}.url)));`;
    expect(messages(fileShape, { 'test/a.ts': text })).toEqual([]);
  });

  test('takes a file of exactly the most lines, and the word any in text', () => {
    const files = { [file]: `// any of them\nconst a = 'x: any;';\n${'\n'.repeat(MAX_LINES - 2)}` };
    expect(messages(fileShape, files)).toEqual([]);
  });
});

describe('snippets', () => {
  const example = "// Shows x.\n\nimport { x } from 'y';\nx();\n";
  const readme = (body: string) => `# A\n\n<!-- snippet: examples/01-a.ts -->\n\n\`\`\`ts\n${body}\`\`\`\n`;

  test('refuse a README whose snippet differs from its example, or comes from none', () => {
    const files = { 'examples/01-a.ts': example };
    expect(messages(snippets, { ...files, 'README.md': readme("import { x } from 'z';\n") })).toHaveLength(1);
    expect(messages(snippets, { 'packages/tools/README.md': readme('x();\n') })).toEqual([
      'examples/01-a.ts does not exist.',
    ]);
    expect(messages(snippets, { 'docs/guides/a.md': '```ts\nx();\n```\n' })).toHaveLength(1);
  });

  test('are written anew from their source', () => {
    const root = tree({ 'examples/01-a.ts': example, 'README.md': readme('stale\n') });
    expect(syncSnippets(root)).toEqual(['README.md']);
    expect(snippets(root)).toEqual([]);
    expect(syncSnippets(root)).toEqual([]);
  });

  test('refuse a marker without a fence, and put the fence in', () => {
    const marker = '<!-- snippet: examples/01-a.ts -->';
    const root = tree({ 'examples/01-a.ts': example, 'docs/guides/a.md': `# A\n\n${marker}\n\nMore.\n\n${marker}\n` });
    const message = 'the snippet marker has no ts fence below it. Run: pnpm tidy:fix';
    expect(snippets(root).map((problem) => [problem.line, problem.message])).toEqual([
      [3, message],
      [7, message],
    ]);
    expect(syncSnippets(root)).toEqual(['docs/guides/a.md']);
    expect(snippets(root)).toEqual([]);
    const text = readFileSync(join(root, 'docs/guides/a.md'), 'utf8');
    expect(text).toContain("-->\n\n```ts\nimport { x } from 'y';\nx();\n```\n\nMore.");
  });
});

test('flag-list refuses a README without the flags of the help, and writes them', () => {
  const file = 'apps/prompt-agent/README.md';
  const root = tree({ [file]: '# A\n\n<!-- flags -->\n\n```text\n--gone\n```\n\nMore.\n' });
  expect(flagList(root).map(({ message }) => message)).toEqual([
    'its list of flags differs from the help. Run: pnpm tidy:fix',
  ]);
  writeFlagList(root);
  expect(flagList(root)).toEqual([]);
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toContain('\n-m, --model NAME              model to use\n');
  expect(text).toMatch(/^# A[^]*```\n\nMore\.\n$/);
  expect(text).not.toContain('--gone');
  expect(flagList(tree({ [file]: '# A\n' }))).toHaveLength(1);
});

describe('vendor-names', () => {
  test('refuses a field of a wire outside the wires', () => {
    verifies('architecture.vendor');
    const text = "const x = { tool_call_id: '1' };";
    expect(messages(vendorNames, { 'packages/agent/src/a.ts': text })).toHaveLength(1);
    expect(messages(vendorNames, { 'apps/prompt-agent/src/a.ts': 'x.finish_reason;' })).toHaveLength(1);
    expect(messages(vendorNames, { 'packages/providers/src/openai/encode.ts': text })).toEqual([]);
    expect(messages(vendorNames, { 'packages/agent/src/config/a.ts': 'x.base_url' })).toEqual([]);
  });
});

test('the sources of this repository keep the layers and name no vendor’s field', () => {
  verifies('architecture.layers', 'architecture.vendor');
  expect([...layers(repository), ...vendorNames(repository)]).toEqual([]);
});
