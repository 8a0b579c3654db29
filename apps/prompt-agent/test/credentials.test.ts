import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createWorkspace, mayHoldCredentials } from '@kernel/toolbox/workspace';
import { describe, expect, test } from 'vitest';
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
