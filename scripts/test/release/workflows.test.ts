import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import config from '../../../vitest.config.ts';
import { readManifest } from '../../lib/projects.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly packageManager: string;
  readonly optionalDependencies: { readonly node: string };
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly 'continue-on-error'?: boolean;
}

interface Job {
  readonly steps: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly if?: string;
  readonly strategy?: {
    readonly matrix: {
      readonly os: readonly string[];
      readonly node: readonly (string | number)[];
      readonly include: readonly { readonly os: string }[];
    };
  };
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = globSync('.github/workflows/*.yml', { cwd: root }).toSorted();
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`)) as Workflow;
const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

describe.each(files)('%s', (file) => {
  const text = read(file);
  const parsed = parse(text) as Workflow;

  test('runs only what the repository has, on the pinned pnpm, and hides no failure', () => {
    verifies('release.workflows');
    for (const { run = '', 'continue-on-error': hidden } of stepsOf(parsed)) {
      expect(hidden).not.toBe(true);
      for (const [, script = ''] of run.matchAll(/(?:^|\s)bash (\S+)/g))
        expect(existsSync(join(root, script))).toBe(true);
      for (const [, version, script = ''] of run.matchAll(/npx --yes (pnpm@\S+) (\S+)/g)) {
        expect(version).toBe(manifest.packageManager);
        expect({ install: '', ...manifest.scripts }).toHaveProperty(script);
      }
    }
  });

  test('uses actions of GitHub alone, by commit, with no more rights than to read by default', () => {
    verifies('release.workflows');
    const used = stepsOf(parsed).flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^actions\/[a-z-]+@[\da-f]{40}$/);
    for (const [line] of text.matchAll(/uses: .*/g)) expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
    expect(parsed.permissions).toEqual({ contents: 'read' });
    expect(text).not.toMatch(/registry|https?:/);
  });
});

test('CI runs everything on the pinned Node, and the packages on every Node and system that they are for', () => {
  verifies('release.workflows');
  const { jobs } = workflow('ci');
  const { everything, packages } = jobs;
  expect(everything?.steps.map(({ run }) => run)).toContain('bash .ci/run');
  expect(everything?.steps.map((step) => step.with?.['node-version'])).toContain(manifest.optionalDependencies.node);
  expect(packages?.steps.map(({ run }) => run)).toContain('bash .ci/packages');
  const floor = `${manifest.engines.node.replace('>=', '')}.0`;
  expect(packages?.strategy?.matrix.node).toEqual([floor, 24, 26]);
  expect(packages?.strategy?.matrix.include.map(({ os }) => os)).toEqual(['macos-latest', 'windows-latest']);
});

test('that job runs all projects of the packages that need no build', () => {
  verifies('release.workflows');
  const tested = [...read('.ci/packages').matchAll(/--project (\S+)/g)].map(([, name]) => name);
  const configured = (config.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? [project.test?.name] : [],
  );
  // What measures growth needs flags of V8 that have changed between versions of Node.
  expect(new Set([...tested, 'growth', 'built'])).toEqual(new Set(configured));
});

test('a release is published with provenance, by the one job that may ask for an identity token', () => {
  verifies('release.workflows');
  const text = read('.github/workflows/release.yml');
  expect(workflow('release').jobs['release']?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(files.flatMap((file) => [...read(file).matchAll(/id-token/g)])).toHaveLength(1);
  expect(text).toContain("NPM_CONFIG_PROVENANCE: 'true'");
  for (const folder of ['packages/protocol', 'packages/tools', 'packages/mcp', 'apps/prompt-agent'])
    expect(readManifest(root, folder)).toMatchObject({ publishConfig: { provenance: true } });
});

test('a release comes after the whole CI, from the frozen lockfile, and only once nothing waits', () => {
  verifies('release.workflows');
  const { check, release } = workflow('release').jobs;
  const steps = release?.steps ?? [];
  expect(check?.steps.map(({ run }) => run)).toContain('bash .ci/run');
  expect(check?.permissions).toBeUndefined();
  expect(release).toMatchObject({ needs: 'check', if: "needs.check.outputs.changesets == '0'" });
  const at = (text: string): number => steps.findIndex(({ run = '' }) => run.includes(text));
  expect(at('pnpm@12.21.0 install --frozen-lockfile')).toBeGreaterThan(0);
  expect(at('pnpm@12.21.0 release')).toBeGreaterThan(at('pnpm@12.21.0 install'));
  expect(steps.map((step) => step.with?.['node-version'])).toContain(manifest.optionalDependencies.node);
  const run = read('.ci/run');
  expect(run).toMatch(
    /install --frozen-lockfile[\s\S]*\$PNPM build[\s\S]*\$PNPM run rehearse[\s\S]*strange-machines bare[\s\S]*strange-machines frozen[\s\S]*strange-machines system[\s\S]*\$PNPM tidy[\s\S]*leftovers[\s\S]*test-totals/,
  );
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly check: string } };
  const checks = scripts.check.split(' turbo run ')[1]?.split(' ') ?? [];
  expect(checks.length).toBeGreaterThan(4);
  for (const task of checks) expect(run).toMatch(new RegExp(`\\$PNPM[^\\n]* ${task.replace('//#tidy', 'tidy')}\\b`));
});

test('an update is proposed once a version is as old as pnpm wants it, in every folder with dependencies', () => {
  verifies('release.updates');
  const { updates } = parse(read('.github/dependabot.yml')) as {
    readonly updates: readonly {
      readonly 'package-ecosystem': string;
      readonly directories?: readonly string[];
      readonly cooldown: { readonly 'default-days': number };
    }[];
  };
  const { minimumReleaseAge } = parse(read('pnpm-workspace.yaml')) as { readonly minimumReleaseAge: number };
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
  for (const { cooldown } of updates) expect(cooldown['default-days'] * 24 * 60).toBe(minimumReleaseAge);
  const { packages } = parse(read('pnpm-workspace.yaml')) as { readonly packages: readonly string[] };
  const workspace = globSync(packages, { cwd: root });
  const outside = globSync('{*,scripts/*,scripts/*/*,test/*,test/*/*}/package.json', { cwd: root })
    .map((file) => dirname(file))
    .filter((folder) => !workspace.includes(folder) && !folder.includes('node_modules'));
  expect(updates[0]?.directories).toEqual(['/', ...outside.toSorted().map((folder) => `/${folder}`)]);
});
