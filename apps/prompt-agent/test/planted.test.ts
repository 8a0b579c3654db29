import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { prompt, workspace } from './program.ts';

/** What the program starts, what its users name, and what those start in turn. */
const NAMES =
  'bwrap unshare mount setpriv pivot_root umount sh bash env true rg git node npm npx secret-tool security sandbox-exec powershell taskkill cmd chromium docker podman planted'.split(
    ' ',
  );

/** A repository with a package in it, and a folder beside it; each planted program writes its name into `ran`. */
function createRepository() {
  const base = workspace({
    'repository/.git/HEAD': 'ref: refs/heads/main\n',
    'repository/packages/a/a.txt': 'needle\n',
  });
  const [ran, repository, outside] = [join(base, 'ran'), join(base, 'repository'), join(base, 'outside')];
  mkdirSync(outside);
  const plant = (folder: string): string => {
    mkdirSync(folder, { recursive: true });
    for (const name of NAMES) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s ' ${name} >>'${ran}'\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return folder;
  };
  return { ran, repository, outside, cwd: join(repository, 'packages/a'), plant };
}

type Repository = ReturnType<typeof createRepository>;
const WAYS: readonly (readonly [string, (repository: Repository) => string])[] = [
  ['a folder of the repository on PATH', ({ repository, plant }) => plant(join(repository, 'bin'))],
  [
    'the PATH of `npm run`',
    ({ repository, cwd, plant }) =>
      [plant(join(cwd, 'node_modules/.bin')), plant(join(repository, 'node_modules/.bin'))].join(delimiter),
  ],
  [
    'a link to a folder',
    ({ repository, outside, plant }) => {
      symlinkSync(plant(join(repository, 'bin')), join(outside, 'link'));
      return join(outside, 'link');
    },
  ],
  [
    'links to files',
    ({ repository, outside, plant }) => {
      plant(join(repository, 'bin'));
      for (const name of NAMES) symlinkSync(join(repository, 'bin', name), join(outside, name));
      return outside;
    },
  ],
  ['the current folder', ({ cwd, plant }) => (plant(cwd), ['', '.', './'].join(delimiter))],
];

const BUNDLE = ['--bundle', 'code_agent', '--allow', 'run_command(node --version)'];
const COMMANDS: readonly (readonly string[])[] = [
  ['tools', 'call', ...BUNDLE, 'run_command', '{"command":["node","--version"]}'],
  ['tools', 'call', ...BUNDLE, '--sandbox', 'off', 'run_command', '{"command":["node","--version"]}'],
  ['tools', 'call', ...BUNDLE, 'search_text', '{"query":"needle"}'],
  ['doctor'],
  ['keys', 'set', 'groq'],
  ['hello', '--base-url', 'http://127.0.0.1:9', '--token-command', 'planted'],
  ['tools', 'list', '--execute', '--tools', 'planted serve'],
  ['tools', 'list', '--execute', '--tools', 'node --version'],
];

describe.skipIf(process.platform === 'win32')('programs planted through', () => {
  test.each(WAYS)('%s: none runs', { timeout: 120_000 }, async (_name, plantIn) => {
    verifies('cli.programs');
    const repository = createRepository();
    const env = { PATH: `${plantIn(repository)}${delimiter}${process.env['PATH']}`, HOME: repository.outside };
    const outcomes = [];
    for (const args of COMMANDS)
      // One after the other, to see which it was.
      // oxlint-disable-next-line no-await-in-loop
      outcomes.push({
        args,
        ...(await prompt(args, { cwd: repository.cwd, env, input: 'sk-key' })),
        ran: ranIn(repository),
      });
    expect(outcomes.filter(({ ran }) => ran !== '')).toEqual([]);
    expect(outcomes.slice(0, 3).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes[5]?.stderr).toContain('there is no program planted on the PATH');
    expect(outcomes[6]?.stderr).toContain('there is no program "planted" on the PATH');
  });
});

function ranIn({ ran }: Repository): string {
  return existsSync(ran) ? readFileSync(ran, 'utf8') : '';
}
