import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPackedProject } from '../../scripts/lib/packed-project.ts';

const folder = join(import.meta.dirname, '..');
const root = join(folder, '..');
const guard = join(root, 'test/setup/loopback-only.ts');
const programs = globSync('[0-9]*.ts', { cwd: folder }).toSorted();

/** The runner of `node:test` writes when its process ends, so that this one has its own. */
const UNIT_TEST = '67-unit-test.ts';

/** The examples beside the packages as they are packed. */
let project = '';
/** All but that one. */
let others: ReturnType<typeof run>;
beforeAll(() => {
  project = createPackedProject(root, ['examples']);
  cpSync(join(folder, 'package.json'), join(project, 'package.json'));
  for (const name of globSync(['*.ts', 'servers/**', 'web/**'], { cwd: folder }))
    cpSync(join(folder, name), join(project, name), { recursive: true });
  // Beside the compiler. A failure is that of the tests below.
  others = run(programs.filter((each) => each !== UNIT_TEST));
  others.catch(() => undefined);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const STRICT = {
  strict: true,
  target: 'es2023',
  lib: ['es2024'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  allowImportingTsExtensions: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

/**
 * What the compiler says of programs in the project; empty if nothing is wrong. On several threads it would check what
 * they share once on each.
 */
async function typeCheck(name: string, files: readonly string[], skipLibCheck: boolean): Promise<string> {
  const config = join(project, `tsconfig.${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, skipLibCheck }, files }));
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), [
    '-p',
    config,
    '--singleThreaded',
  ]).catch((error: { readonly stdout?: string; readonly message: string }) => ({
    stdout: error.stdout ?? error.message,
  }));
  return stdout;
}

test('the examples type-check under --strict on the packed packages', async () => {
  verifies('examples.packed');
  expect(await typeCheck('examples', programs, true)).toBe('');
});

test('the declarations of every entry of the packed packages are sound themselves', async () => {
  verifies('examples.declarations');
  const entries = globSync('node_modules/@kernel/*/package.json', { cwd: project }).flatMap((path) => {
    const { name, exports } = JSON.parse(readFileSync(join(project, path), 'utf8')) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, unknown>>;
    };
    return Object.keys(exports).flatMap((key) => (key.endsWith('.json') ? [] : [`${name}${key.slice(1)}`]));
  });
  expect(entries.length).toBeGreaterThan(20);
  const imports = entries.map((entry, index) => `export type * as entry${index} from '${entry}';`).join('\n');
  writeFileSync(join(project, 'every-entry.ts'), imports);
  expect(await typeCheck('entries', ['every-entry.ts'], false)).toBe('');
});

test('the programs that applications begin with have 20 to 60 lines', () => {
  verifies('examples.packed');
  const lengths = programs.flatMap((file) =>
    /^(?:6\d|7[0-3])/.test(file) ? [readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length] : [],
  );
  expect(lengths.length).toBeGreaterThanOrEqual(12);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(60);
});

/** Runs the programs one after the other, and says which comes: they load the packages once. */
const RUN_ALL = `
for (const file of process.argv.splice(2)) {
  for (const stream of [process.stdout, process.stderr]) stream.write('\\n\\u0001' + file + '\\n');
  process.exitCode = 0;
  await import('./' + file).catch((error) => console.error(error));
  if (process.exitCode !== 0) console.error('It ended with exit code ' + process.exitCode + '.');
}`;

/** What each of these programs wrote, in a process that ended by itself: none of them leaves anything open. */
async function run(
  files: readonly string[],
): Promise<(file: string) => { readonly stdout: string; readonly stderr: string }> {
  writeFileSync(join(project, 'run-all.ts'), RUN_ALL);
  const flags = ['--unhandled-rejections=strict', '--import', pathToFileURL(guard).href];
  const written = await promisify(execFile)(process.execPath, [...flags, 'run-all.ts', ...files], { cwd: project });
  const partOf = (text: string, file: string): string =>
    text
      .split('\n\u0001')
      .find((part) => part.startsWith(`${file}\n`))
      ?.slice(file.length + 1) ?? '';
  return (file) => ({ stdout: partOf(written.stdout, file), stderr: partOf(written.stderr, file) });
}

test.each(programs)('%s runs offline on the packed packages, finds what it expects and ends', async (file) => {
  verifies('examples.packed');
  const written = await (file === UNIT_TEST ? run([UNIT_TEST]) : others);
  const { stdout, stderr } = written(file);
  expect(stderr).toBe('');
  expect(stdout).not.toBe('');
});
