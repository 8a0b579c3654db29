// The loop of an agent over a model that calls tools.
import { createFloor } from '../floor.js';
import { median } from '../measure.js';
import { bindTool, collect, createProvider, createRegistry, run } from '../ours.js';
import { resultOf, TOOLS, WIRE_TOOLS } from '../tools.js';
import { openaiOf } from './stream.js';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function loopWork(turns, streamed, repeat, { parallel = 1, waitMs = 0, slope = false, overFetch = false } = {}) {
  const path = `/loop/${turns}/${parallel}`;

  /** A handler, and the CPU of the process at each of its calls. */
  function createHandler() {
    const marks = [];
    const handler = (input) => {
      if (slope) marks.push(process.cpuUsage());
      return waitMs === 0 ? resultOf(input) : wait(waitMs).then(() => resultOf(input));
    };
    return { handler, marks };
  }

  function runs(marks, once) {
    return async () => {
      const answers = [];
      const slopes = [];
      for (let at = 0; at < repeat; at += 1) {
        marks.length = 0;
        answers.push(await once());
        if (slope) slopes.push(slopeOf(marks));
      }
      return { made: answers.join(), ...(slope ? { slopeUs: median(slopes) } : {}) };
    };
  }

  function ours(port, transport = {}) {
    const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}${path}`, ...transport });
    const { handler, marks } = createHandler();
    const tools = createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, handler)));
    const messages = [{ role: 'user', content: 'Go.' }];
    const limits = { turns: turns + 2, callsPerTool: turns * parallel + 1 };
    return runs(marks, async () => {
      const result = await collect(run({ provider, model: 'm', messages, tools, stream: streamed, limits }));
      if (result.reason !== 'done') throw new Error(JSON.stringify(result.error ?? result.reason));
      return result.answer;
    });
  }

  return {
    floor(port) {
      const floor = createFloor(port);
      const { handler, marks } = createHandler();
      const handlers = new Map(TOOLS.map(({ name }) => [name, async (input) => handler(input)]));
      return runs(marks, () => floor.loop(`${path}/chat/completions`, WIRE_TOOLS, handlers, streamed));
    },
    ours: (port) => ours(port),
    // The same over the fetch of Node, beside it and without a target.
    ...(overFetch ? { fetch: (port) => ours(port, { fetch: globalThis.fetch }) } : {}),
    openai(port) {
      const client = openaiOf(port, path);
      const { handler, marks } = createHandler();
      const tools = TOOLS.map((tool) => ({
        type: 'function',
        function: { ...tool, strict: false, parse: JSON.parse, function: handler },
      }));
      return runs(marks, async () => {
        const request = { model: 'm', messages: [{ role: 'user', content: 'Go.' }], tools, stream: streamed };
        const runner = client.chat.completions.runTools(request, { maxChatCompletions: turns + 2 });
        return runner.finalContent();
      });
    },
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
