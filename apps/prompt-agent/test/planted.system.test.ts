import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt, workspace } from './program.ts';

/** What the program starts, what its users name, and what those start in turn. */
const NAMES =
  'bwrap unshare mount setpriv pivot_root umount sh bash env true rg git node npm npx secret-tool security sandbox-exec powershell taskkill cmd chromium docker podman planted'.split(
    ' ',
  );

/** A repository with a package in it, and a folder beside it; each planted program writes its path into `ran`. */
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
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s ' "$0" >>'${ran}'\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return folder;
  };
  return { ran, repository, outside, cwd: join(repository, 'packages/a'), plant };
}

/** The entries of `PATH` through which programs are planted. */
const plantAll = ({ repository, outside, cwd, plant }: ReturnType<typeof createRepository>): readonly string[] => {
  const ofRepository = plant(join(repository, 'bin'));
  const link = join(outside, 'link');
  symlinkSync(ofRepository, link);
  for (const name of NAMES) symlinkSync(join(ofRepository, name), join(outside, name));
  // As `npm run` has it.
  const ofModules = [join(cwd, 'node_modules/.bin'), join(repository, 'node_modules/.bin')].map((folder) =>
    plant(folder),
  );
  return [...ofModules, ofRepository, link, outside, ...(plant(cwd), ['', '.', './'])];
};

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

test.skipIf(process.platform === 'win32')(
  'of programs planted through a folder of the repository, the PATH of `npm run`, a link to a folder, links to files and the current folder none runs',
  async () => {
    verifies('cli.programs');
    const planted = createRepository();
    const entries = plantAll(planted);
    const env = { PATH: [...entries, process.env['PATH']].join(delimiter), HOME: planted.outside };
    const outcomes = [];
    for (const args of COMMANDS)
      // One after the other, to see which it was.
      // oxlint-disable-next-line no-await-in-loop
      outcomes.push({ args, ...(await prompt(args, { cwd: planted.cwd, env, input: 'sk-key' })), ran: ranIn(planted) });
    expect(outcomes.filter(({ ran }) => ran !== '')).toEqual([]);
    expect(outcomes.slice(0, 3).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes[5]?.stderr).toContain('program "planted" was not found on the PATH');
    expect(outcomes[6]?.stderr).toContain('program "planted" was not found on the PATH');
    // They would have run.
    for (const entry of entries) execFileSync('/bin/sh', ['-c', 'planted'], { cwd: planted.cwd, env: { PATH: entry } });
    expect(ranIn(planted).trim().split(' ')).toHaveLength(entries.length);
  },
);

function ranIn({ ran }: ReturnType<typeof createRepository>): string {
  return existsSync(ran) ? readFileSync(ran, 'utf8') : '';
}
