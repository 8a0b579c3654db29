import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { workspace } from './program.ts';

const KEEPS_RULES = fileURLToPath(new URL('fixtures/keeps-rules.ts', import.meta.url));

test('rules that several processes keep at the same time are all there', async () => {
  verifies('cli.approval.two');
  const home = workspace({});
  const run = promisify(execFile);
  const [processes, rules] = [4, 15];
  await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      run(process.execPath, ['--conditions=@kernel/source', KEEPS_RULES, home, `p${index}`, String(rules)]),
    ),
  );
  const file = JSON.parse(readFileSync(join(home, '.config/prompt-agent/permissions.json'), 'utf8')) as {
    rules: readonly { allow: string }[];
  };
  const expected = Array.from({ length: processes }, (_, index) =>
    Array.from({ length: rules }, (__, rule) => `run_command(p${index} ${rule})`),
  ).flat();
  expect(file.rules.map(({ allow }) => allow).toSorted()).toEqual(expected.toSorted());
});
