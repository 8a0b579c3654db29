import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Problem } from '../lib/problem.ts';
import { publishedFolders, readManifest, workspaceFolders } from '../lib/projects.ts';
import { readText } from '../lib/read-text.ts';

/** How large the repository is: numbers by what they count. */
export type Size = Readonly<Record<'files of a prompt' | 'lines' | 'names', Readonly<Record<string, number>>>>;

const FILE = 'scripts/size.json';
const PROGRAM = 'apps/prompt-agent/src/cli.ts';
/** Parts of the sources whose lines are counted by themselves. */
const PLACES = [
  'agent/src/{loop,approval}',
  'providers/src/text-tools',
  'toolbox/src/commands/isolation',
  'toolbox/src/{commands/{analysis,shell},permissions}',
  'toolbox/src/{files,workspace}',
  'tools/src/call',
  'tools/src/registry',
] as const;

/** Counts the lines of sources, the exported names in each `api.txt`, and the files that a prompt runs. */
export function measureSize(root: string): Size {
  const lines = Object.fromEntries(
    workspaceFolders(root)
      .filter((folder) => /^(?:apps|packages)\//.test(folder))
      .map((folder) => [folder, linesOf(root, `${folder}/src/**/*.ts`)]),
  );
  for (const place of PLACES) lines[`packages/${place}`] = linesOf(root, `packages/${place}/**/*.ts`);
  lines['scripts'] = linesOf(root, 'scripts/{*,{lib,pictures,release,rules,site,test}/**/*}.ts');
  return { 'files of a prompt': filesOfPrompt(root), lines, names: Object.fromEntries(exportedNames(root)) };
}

/**
 * Size: no number of `scripts/size.json` grows unless the file says so in the same commit, so that growth is seen in
 * review. A smaller number is written by `pnpm tidy:fix`.
 */
export function size(root: string, measured = measureSize(root)): readonly Problem[] {
  const committed = JSON.parse(readText(root, FILE) || '{}') as Partial<Size>;
  return Object.entries(measured).flatMap(([kind, numbers]) =>
    Object.entries(numbers).flatMap(([name, number]) => {
      const before = committed[kind as keyof Size]?.[name] ?? 0;
      if (number <= before) return [];
      const message = `${kind} of ${name} grew from ${before} to ${number}. Find what can go, or run pnpm tidy:fix.`;
      return [{ rule: 'size', file: FILE, message }];
    }),
  );
}

/** Writes the numbers as they are. */
export function writeSize(root: string): void {
  writeFileSync(join(root, FILE), `${JSON.stringify(measureSize(root), undefined, 2)}\n`);
}

function linesOf(root: string, pattern: string): number {
  const files = globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' });
  return files.reduce((sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0);
}

function exportedNames(root: string): readonly (readonly [entry: string, names: number])[] {
  return publishedFolders(root).flatMap((folder) =>
    readText(root, `${folder}/api.txt`)
      .split(/^# /m)
      .slice(1)
      .map((part) => {
        const name = readManifest(root, folder).name + part.slice(1, part.indexOf('\n'));
        return [name, part.split(/^## /m).length - 1] as const;
      }),
  );
}

/** The sources of which a function ran when the program answered a prompt by a call of a tool, by package. */
function filesOfPrompt(root: string): Readonly<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'size-'));
  try {
    const args = ['--conditions=@kernel/source', join(root, PROGRAM), '--no-session', 'list the files here'];
    const env = { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: join(folder, 'coverage') };
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The prompt whose files are counted fails:\n${stderr}`);
    const files = readdirSync(join(folder, 'coverage')).flatMap((name) => ranFiles(join(folder, 'coverage', name)));
    const names = files.flatMap((url) => {
      const from = pathToFileURL(root + sep).href;
      return /^(?:apps|packages)\/[^/]+/.exec(url.startsWith(from) ? url.slice(from.length) : '') ?? [];
    });
    const counts = Object.groupBy(names.toSorted(), (name) => name);
    return Object.fromEntries(Object.entries(counts).map(([name, each = []]) => [name, each.length]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The addresses of the modules in a report of V8's coverage of which a function with a name ran. */
function ranFiles(report: string): readonly string[] {
  const { result } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly result: readonly {
      readonly url: string;
      readonly functions: readonly {
        readonly functionName: string;
        readonly ranges: readonly { readonly count: number }[];
      }[];
    }[];
  };
  return result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count))
    .map(({ url }) => url);
}
