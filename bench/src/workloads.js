// What is measured. Each contender is a function of the server's port that gives the work of one run; the work returns what it
// made (equal for all contenders), or an object with `made` and figures of its own.
import { abortWork } from './workloads/abort.js';
import { bombWork, concurrentWork, sessionsWork } from './workloads/concurrent.js';
import { loopWork } from './workloads/loop.js';
import { dispatchWork, listWork, registerWork } from './workloads/registry.js';
import { argumentsWork, textWork } from './workloads/stream.js';

const KIB = 1024;
/** Loops in one run, back to back: short runs flatter whoever is slow, because the compiler stays cold. */
const LOOPS = 150;

/** `limit` is for ours over the floor in the metric; `absolute` are limits of ours alone. */
export const WORKLOADS = [
  {
    name: 'W1 10 tool turns, JSON',
    metric: 'cpuMs',
    limit: 1,
    runs: 16,
    warmup: 10,
    per: { count: LOOPS, unit: 'loop' },
    contenders: loopWork(10, false, LOOPS, { overFetch: true }),
  },
  {
    name: 'W2 10 tool turns, streamed',
    metric: 'cpuMs',
    limit: 1.3,
    runs: 16,
    warmup: 10,
    per: { count: LOOPS, unit: 'loop' },
    contenders: loopWork(10, true, LOOPS, { overFetch: true }),
  },
  {
    name: 'W3 32 parallel calls of 20 ms',
    metric: 'wallMs',
    absolute: { wallMs: 25 },
    runs: 60,
    contenders: loopWork(1, false, 1, { parallel: 32, waitMs: 20 }),
  },
  {
    name: 'W4 20,000 deltas of text',
    metric: 'cpuMs',
    limit: 1.5,
    absolute: { blockedMs: 20 },
    runs: 30,
    per: { count: 20_000, unit: 'delta' },
    contenders: textWork(20_000),
  },
  { name: 'W5 200 streams at once', metric: 'cpuMs', limit: 1.3, runs: 12, contenders: concurrentWork(200) },
  {
    name: 'W5 200 streams at once, memory',
    metric: 'memory',
    absolute: { grownMiB: 30 },
    runs: 5,
    contenders: concurrentWork(200),
  },
  {
    name: 'W6 300 turns in one conversation',
    metric: 'cpuMs',
    limit: 0.6,
    absolute: { slopeUs: 2 },
    runs: 10,
    warmup: 6,
    per: { count: 5, unit: 'conversation' },
    contenders: loopWork(300, false, 5, { slope: true }),
  },
  {
    name: 'W10 128 KiB in pieces of 4',
    metric: 'cpuMs',
    limit: 1.5,
    runs: 16,
    contenders: argumentsWork(128 * KIB, 4),
  },
  {
    name: 'W10 128 KiB in pieces of 32',
    metric: 'cpuMs',
    limit: 1.5,
    runs: 30,
    contenders: argumentsWork(128 * KIB, 32),
  },
  {
    name: 'W10 128 KiB in pieces of 128',
    metric: 'cpuMs',
    limit: 1.5,
    runs: 40,
    contenders: argumentsWork(128 * KIB, 128),
  },
  {
    name: 'W10 512 KiB in pieces of 32',
    metric: 'cpuMs',
    limit: 1.5,
    runs: 12,
    contenders: argumentsWork(512 * KIB, 32),
  },
  {
    name: '1,000 sessions at once',
    metric: 'memory',
    absolute: { grownMiB: 200, cpuMs: 3000 },
    runs: 3,
    contenders: sessionsWork(1000),
  },
  { name: 'gzip bomb of 256 MiB', metric: 'memory', absolute: { grownMiB: 100 }, runs: 3, contenders: bombWork() },
  { name: 'abort until the socket is closed', metric: 'closedMs', limit: 1.5, runs: 60, contenders: abortWork() },
  {
    name: 'registry: one call',
    metric: 'cpuMs',
    limit: 2,
    runs: 30,
    per: { count: 20_000, unit: 'call' },
    contenders: dispatchWork(20_000),
  },
  {
    name: 'registry: 10,000 tools registered',
    metric: 'wallMs',
    absolute: { wallMs: 1000 },
    runs: 5,
    contenders: registerWork(10_000),
  },
  {
    name: 'registry: list() of 10,000 and of 10',
    metric: 'wallMs',
    absolute: { listRatio: 2 },
    runs: 5,
    contenders: listWork(),
  },
];
