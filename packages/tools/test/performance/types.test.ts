import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = join(root, 'packages/tools/node_modules/.cache/instantiations');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schemas = Array.from(
  { length: 20 },
  (_, index) => `const s${index} = z.object({
  path: z.string().min(1), mode: z.enum(['a', 'b', 'c${index}']), limit: z.int().default(${index}),
  filter: z.object({ tags: z.array(z.string()), range: z.object({ from: z.number(), to: z.number().optional() }).optional() }),
  target: z.discriminatedUnion('type', [z.object({ type: z.literal('url'), url: z.string() }), z.object({ type: z.literal('id'), id: z.int() })]),
});`,
).join('\n');
const used = Array.from(
  { length: 20 },
  (_, index) => `export const u${index}: z.output<typeof s${index}>['filter']['tags'] = [];`,
).join('\n');
const tools = Array.from(
  { length: 20 },
  (_, index) =>
    `export const t${index} = defineTool({ name: 't${index}', description: 'd', input: s${index}, handler: ({ filter }) => filter.tags[0] ?? '' });`,
).join('\n');

function tsc(name: string, config: object, ...flags: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), ...config }));
  return execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', file, ...flags], { encoding: 'utf8' });
}

/** The package, and those whose types it uses. */
const PACKAGES = ['tools', 'schema', 'protocol'];

/** Counts what a user's program costs, against declarations as they are published. */
function instantiations(name: string, source: string): number {
  writeFileSync(join(folder, `${name}.ts`), source);
  const paths = Object.fromEntries(
    PACKAGES.map((each) => [`@kernel/${each}`, [join(folder, `out/packages/${each}/src/index.d.ts`)]]),
  );
  const report = tsc(
    name,
    { compilerOptions: { noEmit: true, paths }, files: [`${name}.ts`] },
    '--extendedDiagnostics',
  );
  return Number(/Instantiations:\s+(\d+)/.exec(report)?.[1]);
}

test(
  'twenty tools with nested zod schemas cost at most 12,000 type instantiations over zod alone',
  { timeout: 240_000 },
  () => {
    const declarations = {
      emitDeclarationOnly: true,
      declarationMap: false,
      rootDir: root,
      outDir: join(folder, 'out'),
    };
    tsc('declarations', {
      compilerOptions: declarations,
      files: PACKAGES.map((each) => join(root, `packages/${each}/src/index.ts`)),
    });
    const zod = `import * as z from 'zod';\n${schemas}`;
    const alone = instantiations('alone', `${zod}\n${used}`);
    const ours = instantiations(
      'ours',
      `${zod}\nimport { createRegistry, defineTool } from '@kernel/tools';\n${used}\n${tools}\nexport const registry = createRegistry([t0, t19]);`,
    );
    expect(alone).toBeGreaterThan(0);
    expect(ours - alone).toBeLessThanOrEqual(12_000);
    console.log(`type instantiations: ${alone} with zod alone, ${ours - alone} more with 20 tools`);
  },
);
