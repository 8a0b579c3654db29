import { expect, test } from 'vitest';
import { prompt as promptProcess } from './program.ts';

test.skipIf(process.platform !== 'linux')(
  'an answer whose notes nobody can read is an answer, and exits 0',
  async () => {
    const { code, stdout } = await promptProcess(['2+2'], { stderrFile: '/dev/full' });
    expect(stdout).toBe('4\n');
    expect(code).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a stdout that takes nothing exits 1 with one line, not a stack',
  async () => {
    for (const args of [['2+2'], ['--json', '2+2'], ['--help']]) {
      const { code, stderr } = await promptProcess(args, { stdoutFile: '/dev/full' });
      expect(code).toBe(1);
      expect(stderr).toMatch(/prompt-agent: stdout cannot be written: ENOSPC.*\n$/);
      expect(stderr).not.toContain('    at ');
    }
  },
);
