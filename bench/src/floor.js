// The floor: a hand-written client on undici's dispatch, without a feature. Our cost is given as multiples of it.
import Pool from 'undici/lib/dispatcher/pool.js';

export function createFloor(port, connections = 10) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });

  function send(path, body, onData) {
    let controller;
    const done = new Promise((resolve, reject) => {
      pool.dispatch(
        { path, method: 'POST', headers: { 'content-type': 'application/json' }, body },
        {
          onRequestStart: (given) => void (controller = given),
          onResponseStart() {},
          onResponseData: (_, bytes) => onData(bytes),
          onResponseEnd: resolve,
          onResponseError: (_, error) => reject(error),
        },
      );
    });
    return { done, abort: () => controller?.abort(new Error('aborted')) };
  }

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

  /** The loop of an agent, as one would write it by hand in ten minutes. */
  async function loop(path, tools, handlers, streamed) {
    const messages = [{ role: 'user', content: 'Go.' }];
    for (;;) {
      const body = JSON.stringify({ model: 'm', messages, tools, ...(streamed ? { stream: true } : {}) });
      const answer = streamed ? await message(path, body) : (await json(path, body)).choices[0].message;
      messages.push(answer);
      if (answer.tool_calls === undefined) return answer.content;
      const results = await Promise.all(
        answer.tool_calls.map((call) => handlers.get(call.function.name)(JSON.parse(call.function.arguments))),
      );
      for (const [at, call] of answer.tool_calls.entries())
        messages.push({ role: 'tool', tool_call_id: call.id, content: results[at] });
    }
  }

  return { stream, json, message, loop };
}
