// Many at once, and a reply that would fill the memory.
import { createFloor } from '../floor.js';
import { digest } from '../measure.js';
import { bindTool, collect, createProvider, createRegistry, run } from '../ours.js';
import { resultOf, TOOLS, WIRE_TOOLS } from '../tools.js';
import { openaiOf } from './stream.js';

const MESSAGES = [{ role: 'user', content: 'Go.' }];
const DELTAS = 500;

const all = (count, once) => Promise.all(Array.from({ length: count }, once));
const same = (values) => [...new Set(values)].join(' and ');

export function concurrentWork(count) {
  const path = `/text/${DELTAS}`;
  return {
    floor(port) {
      const floor = createFloor(port, count);
      const body = JSON.stringify({ model: 'm', messages: MESSAGES, stream: true });
      return async () =>
        same(await all(count, async () => digest((await floor.message(`${path}/chat/completions`, body)).content)));
    },
    ours(port) {
      const baseUrl = `http://127.0.0.1:${port}${path}`;
      const provider = createProvider({ name: 'openai', baseUrl, connections: count });
      return async () =>
        same(
          await all(count, async () => {
            let text = '';
            for await (const event of provider.stream({ model: 'm', messages: MESSAGES }))
              if (event.type === 'text-delta') text += event.text;
            return digest(text);
          }),
        );
    },
    openai(port) {
      const client = openaiOf(port, path);
      return async () =>
        same(
          await all(count, async () => {
            const stream = client.chat.completions.stream({ model: 'm', messages: MESSAGES });
            return digest((await stream.finalMessage()).content);
          }),
        );
    },
  };
}

/** Whole sessions: two tool turns, streamed, and an answer. */
export function sessionsWork(count) {
  const path = '/loop/2';
  return {
    floor(port) {
      const floor = createFloor(port, count);
      const handlers = new Map(TOOLS.map(({ name }) => [name, async (input) => resultOf(input)]));
      return async () =>
        same(await all(count, () => floor.loop(`${path}/chat/completions`, WIRE_TOOLS, handlers, true)));
    },
    ours(port) {
      const baseUrl = `http://127.0.0.1:${port}${path}`;
      const provider = createProvider({ name: 'openai', baseUrl, connections: count });
      const tools = createRegistry(TOOLS.map((tool) => bindTool({ ...tool, effect: 'read' }, resultOf)));
      return async () =>
        same(
          await all(
            count,
            async () => (await collect(run({ provider, model: 'm', messages: MESSAGES, tools }))).answer,
          ),
        );
    },
    openai(port) {
      const client = openaiOf(port, path);
      const tools = TOOLS.map((tool) => ({
        type: 'function',
        function: { ...tool, strict: false, parse: JSON.parse, function: resultOf },
      }));
      return async () =>
        same(
          await all(count, () =>
            client.chat.completions
              .runTools({ model: 'm', messages: [...MESSAGES], tools, stream: true })
              .finalContent(),
          ),
        );
    },
  };
}

export function bombWork() {
  return {
    ours(port) {
      const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}/bomb` });
      return async () => {
        try {
          for await (const event of provider.stream({ model: 'm', messages: MESSAGES })) void event;
          return 'took it';
        } catch (error) {
          return error.code;
        }
      };
    },
  };
}

bombWork.made = 'PROVIDER_PROTOCOL';
