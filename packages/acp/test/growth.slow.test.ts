import { verifies } from '@kernel/testing';
import { test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { writePart } from '../src/changes/write-part.ts';

const END = 'z1\nz2\nz3\nz4\n';

test('a change of many equal lines is written in linear time', async () => {
  verifies('acp.changes');
  await expectLinear({
    make: (size) => ({
      path: 'a',
      before: `${'a\n'.repeat(size)}e\n${END}`,
      after: `${'a\n'.repeat(size / 2)}q\n${END}`,
    }),
    work: (change) => writePart(change, { max: Infinity, pause: () => Promise.resolve() }),
  });
});
