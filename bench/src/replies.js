// The replies of a mock model in the chat protocol, as events and as one JSON object, and a `fetch` that answers with them from memory.

export const sse = (value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
export const STREAM_END = sse('[DONE]');

/** A chunk of the reply of this id. */
export const chunkOf = (id, delta, finish = null) => ({
  id,
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** A message as events: its text, then its calls, whose arguments come in pieces of four characters. */
export function eventsOf(id, message, finish) {
  const event = (delta, reason) => sse(chunkOf(id, delta, reason));
  const events = [event({ role: 'assistant', content: message.content ?? null })];
  for (const text of message.deltas ?? []) events.push(event({ content: text }));
  for (const [index, { id: callId, type, function: call }] of (message.tool_calls ?? []).entries()) {
    events.push(event({ tool_calls: [{ index, id: callId, type, function: { name: call.name, arguments: '' } }] }));
    for (let at = 0; at < call.arguments.length; at += 4)
      events.push(event({ tool_calls: [{ index, function: { arguments: call.arguments.slice(at, at + 4) } }] }));
  }
  return [...events, event({}, finish) + STREAM_END];
}

/** A message as one JSON object. */
export function jsonOf(id, message, finish) {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
  return JSON.stringify({ id, object: 'chat.completion', created: 1, model: 'm', choices, usage });
}

/** A `fetch` that answers a request, by its body, with the events or the one text that `reply` returns: 20 events in each piece of bytes. */
export function memoryFetch(reply) {
  const encoder = new TextEncoder();
  return async (_url, { body }) => {
    const given = reply(typeof body === 'string' ? body : new TextDecoder().decode(body));
    const type = typeof given === 'string' ? 'application/json' : 'text/event-stream';
    const events = typeof given === 'string' ? [given] : given;
    const parts = [];
    for (let at = 0; at < events.length; at += 20) parts.push(encoder.encode(events.slice(at, at + 20).join('')));
    const pull = (controller) => (parts.length === 0 ? controller.close() : controller.enqueue(parts.shift()));
    return new Response(new ReadableStream({ pull }), { headers: { 'content-type': type } });
  };
}
