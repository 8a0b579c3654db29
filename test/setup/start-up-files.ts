/** A home whose start-up files tell that a shell has read them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { findProgram } from '../../packages/internal/src/find-program.ts';
import { systemFeature } from './system-feature.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Whether there is bash, the one shell that reads start-up files because of its input. */
export const bash = systemFeature('bash', process.platform !== 'win32' && findProgram('bash') !== undefined);

/** Makes such a home that of this process. Its files print `STARTED`; `wereRead` tells whether a shell read them. */
export function homeWithStartUpFiles() {
  const home = temporaryFolder('home', { '.bashrc': 'echo STARTED; : > ~/read' });
  vi.stubEnv('HOME', home);
  vi.stubEnv('SHLVL', undefined);
  for (const name of ['BASH_ENV', 'ENV']) vi.stubEnv(name, join(home, '.bashrc'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { home, wereRead: () => existsSync(join(home, 'read')) };
}
