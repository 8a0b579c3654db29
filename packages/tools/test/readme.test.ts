import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test.each([
  [
    'packages/tools/README.md',
    [
      "[ 'to_fahrenheit' ]",
      '68 °F',
      '68 °F string-to-number',
      'TOOL_NOT_FOUND TOOL_NOT_FOUND: no tool named "to_farenheit". Did you mean "to_fahrenheit"?',
    ],
  ],
  [
    'docs/guides/write-a-tool.md',
    [
      'Saved "milk" (normal) for 7.',
      'ARGUMENTS_INVALID: "save_note" refused its arguments. /priority: expected one of "low", "normal", "high", got "hihg" (did you mean "high"?).',
    ],
  ],
])('the example in %s runs as it stands and says what it promises', (file, lines) => {
  const [, code = ''] = /```ts\n([^]*?)```/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  const flags = ['--conditions=@kernel/source', '--input-type=module-typescript', '--eval', code];
  const printed = execFileSync(process.execPath, flags, { cwd: join(root, 'packages/tools'), encoding: 'utf8' });
  expect(printed.trimEnd().split('\n')).toEqual(lines);
});
