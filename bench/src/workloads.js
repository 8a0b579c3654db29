// What is measured. The work of a workload is a function of a contender and the server's port; it returns what it made (equal for all
// contenders), or an object with `made`, `times` and figures of its own.
import { abortsInTool, loops, sessions } from './workloads/loop.js';
import { calls, listing, registering } from './workloads/registry.js';
import { aborts, bomb, callArguments, callInLoop, texts } from './workloads/stream.js';

const KIB = 1024;
/** Loops in one run, back to back: how a long-lived process spends its time. */
const LOOPS = 150;
/** Loops in one run of a fresh process: programs are short. */
const FIRST = 40;

const PEERS = ['ai-sdk', 'openai-agents', 'pi', 'langchain', 'mastra', 'tanstack'];
// pi always streams.
const JSON_PEERS = PEERS.filter((name) => name !== 'pi');

const loop = { metric: 'cpuMs', runs: 16, warmup: 10, unit: 'loop', contenders: ['floor', 'ours', 'openai'] };
const overFetch = { contenders: ['floor', 'floor-fetch', 'ours', 'ours-fetch', 'openai'] };
/** Each run has a process of its own. */
const fresh = { ...loop, runs: 9, warmup: 0, isFresh: true };
const wire = { metric: 'cpuMs', runs: 16, contenders: ['floor', 'ours', 'openai'] };

/** `limit` is for ours over the floor in the metric; `absolute` are limits of ours alone; `peers` run with `--peers`. */
export const WORKLOADS = [
  {
    ...loop,
    ...overFetch,
    name: 'W1 10 tool turns, JSON',
    limit: 1.5,
    peers: JSON_PEERS,
    work: loops({ turns: 10, times: LOOPS }),
  },
  {
    ...loop,
    ...overFetch,
    name: 'W2 10 tool turns, streamed',
    limit: 1.5,
    peers: PEERS,
    work: loops({ turns: 10, times: LOOPS, streamed: true }),
  },
  {
    ...loop,
    name: 'W1 objects, JSON',
    limit: 1.5,
    peers: JSON_PEERS,
    work: loops({ turns: 10, times: LOOPS, larger: true }),
  },
  {
    ...loop,
    name: 'W2 objects, streamed',
    limit: 1.5,
    peers: PEERS,
    work: loops({ turns: 10, times: LOOPS, larger: true, streamed: true }),
  },
  ...[false, true].flatMap((streamed) => {
    const id = streamed ? 'W2' : 'W1';
    const how = streamed ? 'streamed' : 'JSON';
    const peers = streamed ? PEERS : JSON_PEERS;
    const options = { turns: 10, times: FIRST, larger: true, streamed };
    return [
      { ...fresh, name: `${id} cold, ${how}`, peers, work: loops(options) },
      { ...fresh, name: `${id} after 40, ${how}`, limit: 1.5, peers, work: loops({ ...options, warmup: FIRST }) },
    ];
  }),
  {
    name: 'W3 32 parallel calls of 20 ms',
    metric: 'wallMs',
    absolute: { wallMs: 25 },
    runs: 60,
    contenders: ['floor', 'ours', 'openai'],
    peers: JSON_PEERS,
    work: loops({ turns: 1, times: 1, parallel: 32, waitMs: 20 }),
  },
  {
    ...wire,
    name: 'W4 20,000 deltas of text',
    limit: 1.5,
    absolute: { blockedMs: 20 },
    runs: 30,
    per: 20_000,
    unit: 'delta',
    peers: PEERS,
    work: texts(20_000),
  },
  { ...wire, name: 'W5 200 streams at once', limit: 1.5, runs: 12, peers: PEERS, work: texts(200, 200) },
  {
    ...wire,
    name: 'W5 200 streams at once, memory',
    metric: 'memory',
    absolute: { grownMiB: 30 },
    runs: 5,
    peers: PEERS,
    work: texts(200, 200),
  },
  {
    ...loop,
    name: 'W6 300 turns in one conversation',
    limit: 0.6,
    absolute: { slopeUs: 2 },
    runs: 10,
    warmup: 6,
    unit: 'conversation',
    peers: JSON_PEERS,
    work: loops({ turns: 300, times: 5, slope: true }),
  },
  { ...wire, name: 'W10 128 KiB in pieces of 4', limit: 1.5, work: callArguments(128 * KIB, 4) },
  { ...wire, name: 'W10 128 KiB in pieces of 32', limit: 1.5, runs: 30, work: callArguments(128 * KIB, 32) },
  { ...wire, name: 'W10 32 KiB in pieces of 32', limit: 1.5, runs: 40, work: callArguments(32 * KIB, 32) },
  { ...wire, name: 'W10 128 KiB in pieces of 128', limit: 1.5, runs: 40, work: callArguments(128 * KIB, 128) },
  {
    ...wire,
    name: 'W10 in a loop, 128 KiB in pieces of 32',
    limit: 1.5,
    peers: PEERS,
    work: callInLoop(128 * KIB, 32),
  },
  { ...wire, name: 'W10 512 KiB in pieces of 32', limit: 1.5, runs: 12, work: callArguments(512 * KIB, 32) },
  {
    name: '1,000 sessions at once',
    metric: 'memory',
    absolute: { grownMiB: 200, cpuMs: 3000 },
    runs: 3,
    contenders: ['floor', 'ours', 'openai'],
    peers: PEERS,
    work: sessions(1000),
  },
  {
    name: 'gzip bomb of 256 MiB',
    metric: 'memory',
    absolute: { grownMiB: 100 },
    runs: 3,
    contenders: ['ours'],
    work: bomb(),
  },
  {
    name: 'abort until the socket is closed',
    metric: 'closedMs',
    limit: 1.5,
    runs: 60,
    contenders: ['floor', 'floor-fetch', 'ours', 'openai'],
    peers: PEERS,
    work: aborts(),
  },
  {
    name: 'abort inside a tool until the loop has settled',
    metric: 'settledMs',
    limit: 1.5,
    runs: 24,
    contenders: ['floor', 'ours', 'openai'],
    peers: PEERS,
    work: abortsInTool(40),
  },
  {
    name: 'registry: one call',
    metric: 'cpuMs',
    limit: 2,
    runs: 30,
    per: 20_000,
    unit: 'call',
    contenders: ['floor', 'ours'],
    peers: ['openai-agents', 'pi', 'langchain', 'mastra'],
    work: calls(20_000),
  },
  {
    ...fresh,
    name: 'registry: the first 1,000 calls of a process',
    contenders: ['floor', 'ours'],
    per: 1000,
    unit: 'call',
    peers: ['openai-agents', 'pi', 'langchain', 'mastra'],
    work: calls(1000),
  },
  {
    name: 'registry: 10,000 tools registered',
    metric: 'wallMs',
    absolute: { wallMs: 1000 },
    runs: 5,
    contenders: ['ours'],
    work: registering(10_000),
  },
  {
    name: 'registry: list() of 10,000 and of 10',
    metric: 'wallMs',
    absolute: { listRatio: 2 },
    runs: 5,
    contenders: ['ours'],
    work: listing(),
  },
];
