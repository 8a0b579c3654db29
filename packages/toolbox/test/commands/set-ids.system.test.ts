import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clearSetId } from '../../src/commands/isolation/clear-set-ids.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe.skipIf(process.platform !== 'linux')('what clears set-user-ID while a command may still run', () => {
  const folders = () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'set-ids-')));
    onTestFinished(() => rmSync(base, { recursive: true }));
    const [folder, outside] = [join(base, 'workspace'), join(base, 'outside')];
    for (const each of [folder, outside]) mkdirSync(each);
    writeFileSync(join(outside, 'key'), 'secret');
    chmodSync(join(outside, 'key'), 0o4600);
    return { folder, outside };
  };

  it('changes no file that a link in the place of the file, or of its folder, leads to', () => {
    verifies('toolbox.isolation.setid');
    const { folder, outside } = folders();
    symlinkSync(join(outside, 'key'), join(folder, 'file'));
    symlinkSync(outside, join(folder, 'below'));
    for (const name of ['file', 'below/key'])
      expect(clearSetId(folder, Buffer.from(join(folder, name)), 0)).toBe(false);
    expect(modeOf(join(outside, 'key'))).toBe(0o4600);
  });

  it('clears the bits of a file that is there, whose name need not be text', () => {
    verifies('toolbox.isolation.setid');
    const { folder } = folders();
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff])]);
    writeFileSync(path, '');
    chmodSync(path, 0o4711);
    expect(clearSetId(folder, path, 0)).toBe(true);
    expect(statSync(path).mode & 0o7777).toBe(0o711);
  });
});
