import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { planRelease, type PackedVersion } from '../../release/release-plan.ts';

const HEAD = 'c0ffee';
const commits = { head: HEAD, tag: 'v0.1.0', tagged: undefined };
const packed = (name: string, published?: string): PackedVersion => ({
  id: `@kernel/${name}@0.1.0`,
  integrity: `sha512-${name}`,
  published,
});
const same = (name: string): PackedVersion => packed(name, `sha512-${name}`);

test('the first run publishes every package, in order, and tags the commit', () => {
  verifies('release.once');
  expect(planRelease([packed('a'), packed('b')], commits)).toEqual({
    publish: ['@kernel/a@0.1.0', '@kernel/b@0.1.0'],
    isTagged: true,
    notes: [],
  });
});

test('a release that broke off goes on with the packages that are missing, and with the tag', () => {
  verifies('release.once');
  expect(planRelease([same('a'), packed('b')], commits)).toEqual({
    publish: ['@kernel/b@0.1.0'],
    isTagged: true,
    notes: ['@kernel/a@0.1.0: was published before'],
  });
  expect(planRelease([same('a'), same('b')], commits)).toMatchObject({ publish: [], isTagged: true });
});

test('a later commit without a changeset releases nothing, moves no tag, and names what waits for a changeset', () => {
  verifies('release.once');
  expect(planRelease([packed('a', 'sha512-old'), same('b')], { ...commits, tagged: 'bad1dea' })).toEqual({
    publish: [],
    isTagged: false,
    notes: [
      '@kernel/a@0.1.0: was published before, with other files: a changeset would release the change',
      '@kernel/b@0.1.0: was published before',
    ],
  });
  expect(planRelease([packed('a', 'sha512-old')], commits)).toMatchObject({ isTagged: false });
});

test('one version is not published from two commits', () => {
  verifies('release.once');
  expect(() => planRelease([packed('a', 'sha512-old'), packed('b')], commits)).toThrow(
    '@kernel/a@0.1.0 was published with other files',
  );
  expect(() => planRelease([same('a'), packed('b')], { ...commits, tagged: 'bad1dea' })).toThrow(
    'v0.1.0 is the tag of bad1dea, and this is c0ffee',
  );
  expect(planRelease([same('a'), packed('b')], { ...commits, tagged: HEAD })).toMatchObject({ isTagged: false });
});
