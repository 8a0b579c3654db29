/**
 * Measures what an edit of a large file costs, and what a search of ten thousand files costs beside ripgrep alone. Build first; ripgrep must be on PATH.
 * `node scripts/toolbox-cost.ts`
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemProgram } from './lib/system-program.ts';
import type * as Files from '../packages/toolbox/src/files/index.ts';
import type * as Workspaces from '../packages/toolbox/src/workspace/index.ts';
import type * as Tools from '../packages/tools/src/index.ts';

const RUNS = 9;
const require = createRequire(join(import.meta.dirname, '../test/e2e/package.json'));
const load = async <T>(name: string): Promise<T> => (await import(pathToFileURL(require.resolve(name)).href)) as T;
const { editFileTool, searchTextTool } = await load<typeof Files>('@kernel/toolbox/files');
const { createWorkspace } = await load<typeof Workspaces>('@kernel/toolbox/workspace');
const { createRegistry } = await load<typeof Tools>('@kernel/tools');

const root = mkdtempSync(join(tmpdir(), 'toolbox-cost-'));
try {
  const line = 'const value = 42; // a line of usual length, as code has them\n';
  const large = line.repeat(Math.ceil(5_000_000 / line.length));
  writeFileSync(join(root, 'large.ts'), `${large}const wanted = 0;\n`);
  const workspace = await createWorkspace({ root, write: ['**'] });
  const tools = createRegistry([editFileTool(workspace)]);
  let number = 0;
  const edit = async (): Promise<void> => {
    const edits = [{ old_text: `const wanted = ${number};`, new_text: `const wanted = ${number + 1};` }];
    number += 1;
    const result = await tools.execute('edit_file', { path: 'large.ts', edits });
    if (result.isError === true) throw new Error(result.forLLM);
  };
  console.log(`edit_file in a file of 5 MB: ${(await median(edit)).toFixed(1)} ms (at most 50)`);

  for (let index = 0; index < 10_000; index += 1) {
    const folder = join(root, 'many', String(index % 100));
    if (index < 100) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${index}.ts`), line.repeat(20) + (index % 500 === 0 ? 'the wanted word\n' : ''));
  }
  const search = (ripgrep: boolean) => async (): Promise<void> => {
    const registry = createRegistry([searchTextTool(workspace, ripgrep ? {} : { ripgrep: false })]);
    const { forLLM } = await registry.execute('search_text', { query: 'the wanted word', path: 'many' });
    if (!forLLM.includes('0.ts')) throw new Error(forLLM);
  };
  const alone = await median(async () => {
    const { status } = spawnSync(systemProgram('rg'), ['-n', 'the wanted word', 'many'], { cwd: root });
    if (status !== 0) throw new Error('ripgrep was not found, or found nothing.');
  });
  for (const ripgrep of [true, false]) {
    const ratio = (await median(search(ripgrep))) / alone;
    console.log(
      `search_text in 10,000 files ${ripgrep ? 'with' : 'without'} ripgrep: ${ratio.toFixed(1)} × ripgrep alone (${alone.toFixed(0)} ms; at most ${ripgrep ? 2 : 10})`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function median(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const start = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}
