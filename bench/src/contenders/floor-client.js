// The client of a floor: what a hand would write in ten minutes over a function that sends a request. No feature that it could do without.

const MESSAGES = [{ role: 'user', content: 'Go.' }];

/** What a floor can do over `send(path, body, onData)`, which gives `{ done, abort }`. */
export function createFloor(send) {
  /** One streamed request: `onChunk` gets each parsed chunk. */
  function stream(path, body, onChunk) {
    const decoder = new TextDecoder();
    let rest = '';
    return send(path, body, (bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
        onChunk(JSON.parse(line.slice(6)));
      }
    });
  }

  async function json(path, body) {
    const parts = [];
    await send(path, body, (bytes) => parts.push(bytes)).done;
    return JSON.parse(Buffer.concat(parts).toString());
  }

  /** One streamed message, its text and calls put together. */
  async function message(path, body) {
    let text = '';
    const calls = [];
    await stream(path, body, (chunk) => {
      const delta = chunk.choices[0]?.delta;
      if (delta?.content) text += delta.content;
      for (const call of delta?.tool_calls ?? []) {
        const known = (calls[call.index] ??= { id: call.id, type: 'function', function: { name: '', parts: [] } });
        if (call.function.name) known.function.name = call.function.name;
        if (call.function.arguments) known.function.parts.push(call.function.arguments);
      }
    }).done;
    const tool_calls = calls.map(({ id, type, function: { name, parts } }) => ({
      id,
      type,
      function: { name, arguments: parts.join('') },
    }));
    return { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls } : {}) };
  }

  /** The loop of an agent. */
  async function loop(path, tools, handlers, streamed, signal) {
    const messages = [...MESSAGES];
    for (;;) {
      const body = JSON.stringify({ model: 'm', messages, tools, ...(streamed ? { stream: true } : {}) });
      const answer = streamed ? await message(path, body) : (await json(path, body)).choices[0].message;
      signal?.throwIfAborted();
      messages.push(answer);
      if (answer.tool_calls === undefined) return answer.content;
      const results = await Promise.all(
        answer.tool_calls.map((call) => handlers.get(call.function.name)(JSON.parse(call.function.arguments))),
      );
      for (const [at, call] of answer.tool_calls.entries()) {
        const content = typeof results[at] === 'string' ? results[at] : JSON.stringify(results[at]);
        messages.push({ role: 'tool', tool_call_id: call.id, content });
      }
    }
  }

  return { stream, message, loop };
}

/** The contender over `connect(origin, connections)`, which gives `send`. */
export function floorContender(connect) {
  const open = (url, connections) => {
    const { origin, pathname } = new URL(url);
    return { floor: createFloor(connect(origin, connections)), path: `${pathname}/chat/completions` };
  };
  return {
    loop(url, { streamed, tools, handler, connections }) {
      const { floor, path } = open(url, connections);
      const handlers = new Map(tools.map(({ name }) => [name, async (input) => handler(input)]));
      const wireTools = tools.map((tool) => ({ type: 'function', function: { ...tool, strict: false } }));
      return ({ signal } = {}) => floor.loop(path, wireTools, handlers, streamed, signal);
    },
    text(url, { connections } = {}) {
      const { floor, path } = open(url, connections);
      return async ({ model = 'm', signal, onText } = {}) => {
        const body = JSON.stringify({ model, messages: MESSAGES, stream: true });
        let text = '';
        const { done, abort } = floor.stream(path, body, (chunk) => {
          const piece = chunk.choices[0]?.delta?.content;
          if (!piece) return;
          text += piece;
          onText?.(piece);
        });
        signal?.addEventListener('abort', abort);
        await done;
        return text;
      };
    },
    callArguments(url) {
      const { floor, path } = open(url);
      const body = JSON.stringify({ model: 'm', messages: MESSAGES, stream: true });
      return async () => (await floor.message(path, body)).tool_calls[0].function.arguments;
    },
  };
}
