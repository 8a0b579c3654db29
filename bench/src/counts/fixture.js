// One workload in a process of its own, over a `fetch` that answers from memory, in the same pieces each time. Prints what the counter counted.
import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { eventsOf, jsonOf, memoryFetch } from '../replies.js';
import { resultOf, TOOLS } from '../tools.js';

const { kind, size, warmup, streamed = true, counter } = JSON.parse(process.argv[2]);

// V8 counts blocks only in code that it compiles from here on.
const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
const countsCode = counter === 'code' || counter === 'top';
if (countsCode) {
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
const { bindTool, callTool, collect, createProvider, createRegistry, run } = await import('../ours.js');

const callOf = (at) => ({
  id: `call_${at}`,
  type: 'function',
  function: { name: `tool_${at % 20}`, arguments: JSON.stringify({ a: `value ${at}`, b: at }) },
});

/** The reply to a request: a call, or as many as wanted, until there are enough results, then the answer. */
function reply(body) {
  const encode = streamed ? eventsOf : jsonOf;
  if (kind === 'deltas') return encode('r', { deltas: Array.from({ length: size }, (_, at) => `word ${at} `) }, 'stop');
  const done = body.split('"role":"tool"').length - 1;
  if (done >= size) return encode('r', { content: `answer after ${done}` }, 'stop');
  const wanted = kind === 'parallel' ? size : 1;
  return encode('r', { tool_calls: Array.from({ length: wanted }, (_, at) => callOf(done + at)) }, 'tool_calls');
}

const provider = createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1', fetch: memoryFetch(reply) });
const registry = createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf)));
const { signal } = new AbortController();

async function once() {
  if (kind === 'calls') {
    for (let at = 0; at < size; at += 1) {
      const { function: call } = callOf(at);
      await callTool(registry, { type: 'tool-call', id: `c${at}`, ...call }, { signal });
    }
    return;
  }
  const messages = [{ role: 'user', content: 'Go.' }];
  const limits = { turns: size + 2, callsPerTool: size + 1 };
  const result = await collect(run({ provider, model: 'm', messages, tools: registry, stream: streamed, limits }));
  if (result.reason !== 'done') throw new Error(JSON.stringify(result.error ?? result.reason));
}

/** How many tokens of a text a run of it executes, whatever its names are. */
const tokensIn = (text) => text.match(/[\w$]+|[^\s\w$]/g)?.length ?? 0;

/** What one run executes of our packages by function, without the functions within it. */
async function coveredFunctions() {
  const scripts = await coverage();
  return scripts.flatMap(({ url, functions }) => {
    const source = readFileSync(fileURLToPath(url), 'utf8');
    const nested = functions.map(({ ranges: [whole] }) => ({ ...whole, count: 0 }));
    return functions
      .filter(({ ranges: [whole] }) => whole.startOffset > 0 && whole.count > 0)
      .map(({ functionName, ranges: [whole, ...blocks] }) => {
        const inner = nested.filter(
          (each) => each.startOffset > whole.startOffset && each.endOffset <= whole.endOffset,
        );
        const tokens = executed(source, [whole, ...blocks, ...inner]);
        const line = source.slice(0, whole.startOffset).split('\n').length;
        return { tokens, calls: whole.count, name: functionName, at: `${url.split('/packages/')[1]}:${line}` };
      });
  });
}

/** What one run executes of our packages: V8 counts how often each block runs, which is multiplied by the tokens in it. */
async function countCode() {
  const counts = { tokens: 0, functions: 0, entered: 0 };
  for (const { url, functions } of await coverage()) {
    const source = readFileSync(fileURLToPath(url), 'utf8');
    for (const { ranges } of functions) {
      if (ranges[0].startOffset === 0 || ranges[0].count === 0) continue;
      counts.functions += ranges[0].count;
      counts.entered += ranges[0].endOffset - ranges[0].startOffset;
    }
    counts.tokens += executed(
      source,
      functions.flatMap(({ ranges }) => ranges),
    );
  }
  return counts;
}

/** How often each block of our packages runs in one run, as V8 counts it. */
async function coverage() {
  await post('Profiler.takePreciseCoverage'); // resets the counts
  await once();
  const { result } = await post('Profiler.takePreciseCoverage');
  return result.filter((script) => script.url.includes('/packages/'));
}

/** The tokens of a source, each as often as the innermost range around it ran. */
function executed(source, ranges) {
  const sorted = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  let sum = 0;
  const open = [];
  let at = 0;
  const upTo = (to) => {
    if (to > at) sum += (open.at(-1)?.count ?? 0) * tokensIn(source.slice(at, to));
    at = Math.max(at, to);
  };
  for (const range of sorted) {
    while (open.length > 0 && open.at(-1).endOffset <= range.startOffset) {
      upTo(open.at(-1).endOffset);
      open.pop();
    }
    upTo(range.startOffset);
    open.push(range);
  }
  while (open.length > 0) {
    upTo(open.at(-1).endOffset);
    open.pop();
  }
  return sum;
}

async function countPromises() {
  let promises = 0;
  const hook = createHook({
    init(_id, kind_) {
      if (kind_ === 'PROMISE') promises += 1;
    },
  }).enable();
  await once();
  hook.disable();
  return promises;
}

/** Of many runs: what is allocated is counted by the page. */
async function countBytes() {
  const times = 40;
  const before = getHeapStatistics().total_allocated_bytes;
  for (let at = 0; at < times; at += 1) await once();
  return (getHeapStatistics().total_allocated_bytes - before) / times;
}

/** The functions that execute most, each without those that it calls: where to look. */
async function countTop() {
  const rows = await coveredFunctions();
  return rows.toSorted((a, b) => b.tokens - a.tokens).slice(0, 40);
}

const COUNTERS = { top: countTop, code: countCode, promises: countPromises, bytes: countBytes };
for (let at = 0; at < warmup; at += 1) await once();
const count = counter === undefined ? await once() : await COUNTERS[counter]();
process.stdout.write(JSON.stringify(count ?? null), () => process.exit(0));
