import { expect, test } from 'vitest';
import { hasEnded, type ProcessIdentity, type ProcessView } from '../src/index.ts';

const MACHINE = 'pid:[4026531836] time:[4026531834]';
const CONTAINER = 'pid:[4026532179] time:[4026531834]';
const own: ProcessIdentity = { pid: 40, host: 'vm', machine: 'm', boot: 'b', namespace: MACHINE, start: '900' };
const other: ProcessIdentity = { ...own, pid: 7, start: '100' };

/** A view in which process 7 is as it is given. */
const view = (start: string | undefined, exists = start !== undefined, from: ProcessIdentity = own): ProcessView => ({
  own: from,
  startOf: (pid) => (pid === 7 ? start : from.start),
  exists: (pid) => pid === from.pid || exists,
});

test.each<readonly [string, boolean, object, ProcessView]>([
  ['one that is not there', true, other, view(undefined)],
  ['one that only has not been waited for yet', true, other, view('ended')],
  ['one whose id another process has by now', true, other, view('101')],
  ['one before the last boot of this machine', true, { ...other, boot: 'a' }, view('100')],
  ['one that runs', false, other, view('100')],
  ['one that the system hides, but that exists', false, other, view(undefined, true)],
  ['this one', false, own, view(undefined)],
  ['an earlier one with the id of this one', true, { ...own, start: '1' }, view(undefined)],
  ['one of another container', false, { ...other, namespace: CONTAINER }, view(undefined)],
  [
    'one of another container, seen from a container',
    false,
    other,
    view(undefined, false, { ...own, namespace: CONTAINER }),
  ],
  ['one whose container is not known', false, { pid: 7, host: 'vm', machine: 'm', boot: 'b' }, view(undefined)],
  [
    'one of a container before another boot: it may have moved',
    false,
    { ...other, boot: 'a', namespace: CONTAINER },
    view(undefined),
  ],
  ['one of another machine with the same name', false, { ...other, boot: 'a', machine: 'n' }, view(undefined)],
  ['one of another machine', false, { ...other, boot: 'a', host: 'elsewhere' }, view(undefined)],
  ['one whose boot is not known', false, { pid: 7, host: 'vm', machine: 'm', namespace: MACHINE }, view(undefined)],
])('%s has ended: %s', (_name, expected, identity, from) => {
  expect(hasEnded(identity, from)).toBe(expected);
});

test('without boots and start times, as on macOS, only a process that is not there has ended', () => {
  const mac: ProcessIdentity = { pid: 40, host: 'mac' };
  expect(hasEnded({ pid: 7, host: 'mac' }, view(undefined, false, mac))).toBe(true);
  expect(hasEnded({ pid: 7, host: 'mac' }, view(undefined, true, mac))).toBe(false);
  expect(hasEnded({ pid: 7, host: 'other' }, view(undefined, false, mac))).toBe(false);
  expect(hasEnded(mac, view(undefined, false, mac))).toBe(false);
});

test.each([
  undefined,
  null,
  'x',
  {},
  [],
  { pid: '7' },
  { ...other, pid: 0 },
  { ...other, pid: -7 },
  { ...other, pid: 1.5 },
])('what is not an identity has not ended: %j', (value) => {
  expect(hasEnded(value, view(undefined))).toBe(false);
});
