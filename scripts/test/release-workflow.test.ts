import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest } from '../lib/projects.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const workflow = read('.github/workflows/release.yml');
const manifest = JSON.parse(read('package.json')) as {
  packageManager: string;
  optionalDependencies: { node: string };
};

test('a release is published with provenance, by the one job that may ask for an identity token', () => {
  expect(workflow).toMatch(/^ {6}id-token: write$/m);
  expect(workflow.match(/id-token/g)).toHaveLength(1);
  expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
  expect(workflow).toContain("NPM_CONFIG_PROVENANCE: 'true'");
  for (const folder of ['packages/protocol', 'packages/tools', 'packages/mcp', 'apps/prompt-agent'])
    expect(readManifest(root, folder)).toMatchObject({ publishConfig: { provenance: true } });
});

test('a release comes after the whole CI, from the frozen lockfile', () => {
  const ci = workflow.indexOf('run: bash .ci/run');
  const publish = workflow.indexOf('changeset publish');
  expect(ci).toBeGreaterThan(0);
  expect(publish).toBeGreaterThan(ci);
  expect(workflow.match(/changeset publish$/gm)).toHaveLength(1);
  const run = read('.ci/run');
  expect(run).toMatch(
    /install --frozen-lockfile[\s\S]*\$PNPM build[\s\S]*\$PNPM test[\s\S]*\$PNPM tidy[\s\S]*test-totals/,
  );
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: { readonly check: string } };
  const checks = scripts.check.split(' turbo run ')[1]?.split(' ') ?? [];
  expect(checks.length).toBeGreaterThan(5);
  for (const task of checks) expect(run).toMatch(new RegExp(`\\$PNPM[^\\n]* ${task.replace('//#tidy', 'tidy')}\\b`));
  expect(workflow).not.toContain('continue-on-error');
});

test('a release uses the pinned Node and pnpm, and names no registry', () => {
  expect(workflow).toContain(`node-version: ${manifest.optionalDependencies.node}`);
  expect(workflow).toContain(manifest.packageManager);
  expect(workflow.match(/pnpm@[\d.]+/g)).toEqual([manifest.packageManager]);
  expect(workflow).not.toMatch(/registry|https?:/);
  expect(workflow.match(/uses: .*/g)?.every((line) => /^uses: actions\/[a-z-]+@v\d+$/.test(line))).toBe(true);
});
