import { existsSync, mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import setup from '../../test/setup/run-folder.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

/** Larger than the id of any process. */
const NO_PROCESS = 2 ** 30;

test.skipIf(process.platform === 'win32')(
  'a run removes the folders of runs of its system that were killed, and no others',
  () => {
    const temp = temporaryFolder('temp');
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temp);
    vi.stubEnv('TESTS_HAVE_FOLDER', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const namespace = existsSync('/proc/self/ns/pid') ? readlinkSync('/proc/self/ns/pid').slice(-5, -1) : '';
    const [killed = '', ...others] = [
      `tests-${namespace}-${NO_PROCESS}-a`,
      `tests-${namespace}-${process.pid}-a`,
      `tests-1${namespace}-${NO_PROCESS}-a`,
      'tests-a',
      `${NO_PROCESS}`,
    ].map((name) => join(temp, name));
    for (const folder of [killed, ...others]) mkdirSync(join(folder, 'below'), { recursive: true });
    setup({ vitest: { projects: [{ name: 'system' }] } })?.();
    expect(existsSync(killed)).toBe(false);
    expect(others.filter((folder) => !existsSync(folder))).toEqual([]);
  },
);
