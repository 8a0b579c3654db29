import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createWorkspace, mayHoldCredentials } from '@kernel/toolbox/workspace';
import { describe, expect, test } from 'vitest';
import { readBytes, readText } from '../src/files/read-file.ts';
import { promptHere, workspace } from './program.ts';

describe('a file that usually holds credentials', () => {
  test.each([
    '.ssh/id_ed25519',
    '.ssh/config',
    '.SSH/known_hosts',
    '.aws/credentials',
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.git/config',
    '.env',
    '.env.production',
    '.docker/config.json',
    '.kube/config',
    '.config/gh/hosts.yml',
    '.config/gcloud/application_default_credentials.json',
    '.pgpass',
    'id_rsa',
    'deploy/id_ecdsa',
    'server.pem',
    'tls/private.KEY',
    'store.p12',
    'vault.kdbx',
    'terraform.tfstate',
    'credentials.json',
    'config/secrets.yaml',
    'service-account-prod.json',
    '.bash_history',
    'sub\\.ssh\\id_rsa',
    '.local/state/prompt-agent/project-configs.json',
    'id_rsa_github',
    'id_ed25519-work',
    'ssh_host_rsa_key',
    'prod.env',
    '.flaskenv',
    '.npmrc~',
    '.netrc.swp',
    '.git-credentials.bak',
    '.server.key.swp',
    'server.key.old',
    'aws-credentials.json',
    'prod.tfvars',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
    '.huggingface/token',
    '.config/github-copilot/hosts.json',
    '.config/google-chrome/Default/Cookies',
    'etc/shadow',
  ])('is known by its name: %s', (path) => {
    verifies('cli.workspace.credentials');
    expect(mayHoldCredentials(path)).toBe(true);
    expect(mayHoldCredentials(`/home/me/${path}`)).toBe(true);
  });

  test.each([
    'src/index.ts',
    'README.md',
    '.gitignore',
    '.github/workflows/ci.yml',
    'environment.ts',
    'src/keys.ts',
    'monkey.txt',
    'docs/ssh.md',
    '.ssh-notes.md',
    'id_rsa.pub',
    '.env.example',
    'package.json',
    'secretary.md',
    'id_rsa_github.pub',
    'example.env',
    'settings.xml',
    'gradle.properties',
    'notes.md~',
    'tokens.json',
    'history.md',
  ])('is not confused with others: %s', (path) => {
    verifies('cli.workspace.credentials');
    expect(mayHoldCredentials(path)).toBe(false);
  });

  test('is not opened, listed or searched, whatever the workspace is', async () => {
    verifies('cli.workspace.credentials');
    const home = workspace({ '.ssh/id_rsa': 'PRIVATE', '.ssh/note.txt': 'PRIVATE', '.netrc': 'PRIVATE', 'a.txt': 'x' });
    for (const folder of [home, join(home, '.ssh')]) {
      const space = await createWorkspace({ root: folder });
      for (const path of ['.ssh/id_rsa', 'id_rsa', 'note.txt', '.netrc'])
        await expect(space.read(path)).rejects.toThrow(/may hold credentials|There is no/);
    }
    const { stdout } = await promptHere(['search for PRIVATE'], { cwd: home });
    expect(stdout).toContain('No line contains "PRIVATE"');
  });
});

describe('a pipe or a device', () => {
  test('is refused as a file at once, and so is one that is too long', async () => {
    verifies('cli.files.special');
    const folder = workspace({ 'long.txt': 'x'.repeat(100) });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [join(folder, 'pipe'), '/dev/zero', folder])
      await expect(readText(path, '--config')).rejects.toThrow('is not a file');
    await expect(readBytes(join(folder, 'long.txt'), { what: '--images', maxBytes: 99 })).rejects.toThrow(
      'has 100 bytes; at most 99 are read',
    );
    expect(await readText(join(folder, 'none'), '--config')).toBeUndefined();
  });

  test('does not block the program: --config, --images, --tools-file, --audio, --memory', async () => {
    verifies('cli.files.special');
    const cwd = workspace({ 'notes/a.md': 'Likes tea.' });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    execFileSync('mkfifo', [join(cwd, 'notes/pipe.md')]);
    const outcomes = await Promise.all(
      [
        ['--config', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'vision', '--images', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'tools', '--tools-file', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'audio', '--audio', 'pipe'],
      ].map((args) => promptHere(args, { cwd })),
    );
    expect(outcomes.map(({ code, stderr }) => [code, stderr.includes('is not a file')])).toEqual(
      outcomes.map(() => [2, true]),
    );
    expect((await promptHere(['--memory', 'notes', '2+2'], { cwd })).stdout).toBe('4\n');
  });
});
