import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
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
/** Arguments of any of the tools. */
const input = `{ path: 'p', mode: 'a', filter: { tags: [] }, target: { type: 'id', id: 1 } }`;
/** What a program needs of zod alone for its tools: both sides of each schema. */
const used = Array.from(
  { length: 20 },
  (_, index) => `export const u${index}: z.output<typeof s${index}>['filter']['tags'] = [];
export const i${index}: z.input<typeof s${index}> = ${input};`,
).join('\n');
/** Half of the tools need a context, all have an output schema, and one in four a key. */
const tools = Array.from({ length: 20 }, (_, index) => {
  const define = index % 2 === 0 ? 'defineTool' : 'defineTool<App>()';
  const key = index % 4 === 0 ? ' concurrency: { key: ({ path, mode }) => path + mode },' : '';
  const user = index % 2 === 0 ? "''" : 'context.context.user.name';
  return `export const t${index} = ${define}({ name: 't${index}', description: 'd', input: s${index}, output: o,${key} handler: ({ filter }, context) => ({ tag: filter.tags[0] ?? ${user}, count: filter.tags.length }) });`;
}).join('\n');
const list = Array.from({ length: 20 }, (_, index) => `t${index}`).join(', ');
const calls = Array.from({ length: 10 }, (_, index) => {
  const options = index % 2 === 0 ? '' : ", { context: { user: { name: 'ada' } } }";
  return `export const c${index} = async (): Promise<number | undefined> => (await registry.execute('t${index}', ${input}${options})).data?.count;`;
}).join('\n');
const program = `import { createRegistry, defineTool } from '@kernel/tools';
interface App { readonly user: { readonly name: string } }
const o = z.object({ tag: z.string(), count: z.int(), more: z.array(z.object({ at: z.string().optional() })).optional() });
${tools}
export const registry = createRegistry([${list}]);
${calls}
registry.onEvent((event) => {
  if (event.type === 'call-end' && event.name === 't7') console.log(event.result?.data?.tag, event.arguments?.filter.tags);
});`;

function tsc(name: string, config: object, ...flags: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), ...config }));
  const { status, stdout } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', file, '--singleThreaded', ...flags],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stdout.split('\n').filter((line) => line.includes('error TS'))]).toEqual([0, []]);
  return stdout;
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
  'twenty tools with context and output, in a typed registry with ten calls and events, cost at most 15,000 type instantiations over zod alone',
  { timeout: 240_000 },
  () => {
    const declarations = {
      emitDeclarationOnly: true,
      declarationMap: false,
      rootDir: root,
      outDir: join(folder, 'out'),
      // Not through node_modules: what is found there first counts as another's, and is not emitted.
      paths: Object.fromEntries(
        PACKAGES.map((each) => [`@kernel/${each}`, [join(root, `packages/${each}/src/index.ts`)]]),
      ),
    };
    // One run for each: what is reached through another package counts as a library, of which nothing is written.
    for (const each of PACKAGES)
      tsc(`declarations-${each}`, {
        compilerOptions: declarations,
        files: [join(root, `packages/${each}/src/index.ts`)],
      });
    const zod = `import * as z from 'zod';\n${schemas}`;
    const alone = instantiations('alone', `${zod}\n${used}`);
    verifies('types.budget');
    const ours = instantiations('ours', `${zod}\n${used}\n${program}`);
    expect(alone).toBeGreaterThan(0);
    expect(ours - alone).toBeLessThanOrEqual(15_000);
    console.log(`type instantiations: ${alone} with zod alone, ${ours - alone} more with 20 tools`);
  },
);
