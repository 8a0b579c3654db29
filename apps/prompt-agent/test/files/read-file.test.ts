import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { readText } from '../../src/files/read-file.ts';

test('a file of text that is not UTF-8 is refused by its name', async () => {
  verifies('cli.files.utf8');
  const folder = temporaryFolder('read-file', {
    'utf-8.json': '{"a":"é"}',
    'windows.json': Buffer.from('{"a":"\u00e9"}', 'latin1'),
    'utf-16.json': Buffer.from('\uFEFF{}', 'utf16le'),
  });
  expect(await readText(join(folder, 'utf-8.json'), '--config')).toBe('{"a":"é"}');
  for (const name of ['windows.json', 'utf-16.json'])
    await expect(readText(join(folder, name), '--config', name)).rejects.toThrow(
      `--config: "${name}" is not UTF-8 text.`,
    );
  expect(await readText(join(folder, 'none.json'), '--config')).toBeUndefined();
});
