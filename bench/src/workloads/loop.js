// The loop of an agent over a model that calls tools.
import { median } from '../measure.js';
import { LARGER_TOOLS, objectOf, resultOf, TOOLS } from '../tools.js';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * `times` loops one after another, of `turns` turns with `parallel` calls each, and an answer; `atOnce` of them at the same time. `larger`
 * tools have eight fields and results that are objects, `resultBytes` gives texts of that length. `warmup` loops come before the first measurement.
 */
export function loops(options) {
  const {
    turns,
    times,
    streamed = false,
    parallel = 1,
    slope = false,
    larger = false,
    warmup = 0,
    atOnce = 1,
  } = options;
  return async (contender, port) => {
    const url = `http://127.0.0.1:${port}/loop/${turns}/${parallel}${larger ? '/larger' : ''}`;
    const marks = [];
    const handle = handlerOf(options);
    const handler = (input) => {
      if (slope) marks.push(process.cpuUsage());
      return handle(input);
    };
    const tools = toolsOf(options);
    const once = await contender.loop(url, {
      turns,
      streamed,
      parallel,
      tools,
      handler,
      connections: Math.max(10, atOnce),
    });
    for (let at = 0; at < warmup; at += 1) await once();
    return async (share = 1) => {
      const answers = new Set();
      const slopes = [];
      const count = Math.max(1, Math.round(times * share));
      for (let at = 0; at < count; at += 1) {
        marks.length = 0;
        for (const answer of await Promise.all(Array.from({ length: atOnce }, once))) answers.add(answer);
        if (slope) slopes.push(slopeOf(marks));
      }
      return { made: [...answers].join(), times: count, ...(slope ? { slopeUs: median(slopes) } : {}) };
    };
  };
}

function handlerOf({ waitMs = 0, larger = false, resultBytes }) {
  if (resultBytes !== undefined) {
    const text = 'x'.repeat(resultBytes);
    return () => text;
  }
  const result = larger ? objectOf : resultOf;
  return waitMs === 0 ? result : (input) => wait(waitMs).then(() => result(input));
}

function toolsOf({ larger = false, toolCount = TOOLS.length }) {
  const tools = larger ? LARGER_TOOLS : TOOLS;
  return Array.from({ length: toolCount }, (_, at) => ({ ...tools[at % tools.length], name: `tool_${at}` }));
}

/** `count` whole loops at once. */
export function sessions(count) {
  return async (contender, port) => {
    const url = `http://127.0.0.1:${port}/loop/2`;
    const options = { turns: 2, streamed: true, tools: TOOLS, handler: resultOf, connections: count };
    const once = await contender.loop(url, options);
    return async () => [...new Set(await Promise.all(Array.from({ length: count }, once)))].join();
  };
}

/** `times` loops, each aborted inside its tool, which ends at once: from the abort until the loop has settled. */
export function abortsInTool(times) {
  return async (contender, port) => {
    let stop;
    let begin;
    const handler = () =>
      new Promise((_, reject) => {
        stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
        begin();
      });
    const options = { turns: 1, streamed: true, tools: TOOLS, handler };
    const once = await contender.loop(`http://127.0.0.1:${port}/loop/1`, options);
    return async () => {
      const settledMs = [];
      for (let at = 0; at < times; at += 1) {
        stop = new AbortController();
        const begun = new Promise((resolve) => (begin = resolve));
        const settled = once({ signal: stop.signal }).catch(() => undefined);
        await begun;
        const since = performance.now();
        stop.abort();
        await settled;
        settledMs.push(performance.now() - since);
      }
      return { made: 'settled', settledMs: median(settledMs) };
    };
  };
}

/** By how many microseconds of CPU each turn costs more than the one before: a line through all of them. */
function slopeOf(marks) {
  const at = marks.map(({ user, system }) => user + system);
  const costs = at.slice(1).map((mark, index) => mark - at[index]);
  const middle = (costs.length - 1) / 2;
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  let above = 0;
  let below = 0;
  for (const [index, cost] of costs.entries()) {
    above += (index - middle) * (cost - mean);
    below += (index - middle) ** 2;
  }
  return above / below;
}
