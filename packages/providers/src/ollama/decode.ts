import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type ReplyContext } from '../wire/message-builder.ts';
import { createLineParser } from '../stream/ndjson.ts';
import { findVendorError, htmlTitle } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['load', 'other'],
  ['unload', 'other'],
]);

/** Creates the decoder of one reply of Ollama's chat API: a JSON object a line, the last one with `done: true`. @internal */
export function createOllamaDecoder(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  let calls = 0;

  function onLine(line: string): void {
    if (reply.isOver()) return;
    const value = asFields(parseJson(line));
    if (value === undefined) {
      const page = htmlTitle(line);
      if (page !== undefined) throw reply.broken(`the server answered 200 with ${page}`);
      throw reply.broken(`the reply has a line that is no JSON, or it was cut: ${line.slice(0, 80)}`);
    }
    const error = findVendorError(value);
    if (error !== undefined) throw reply.failed(error);
    reply.model(value['model']);
    takeMessage(asFields(value['message']));
    if (value['done'] !== true) return;
    reply.usage(usageOf(value));
    const known = REASONS.get(asText(value['done_reason']) ?? 'stop') ?? 'other';
    if (known === 'length') reply.end(known);
    else reply.end(reply.hasCalls() ? 'tool-calls' : known);
  }

  function takeMessage(message: Fields | undefined): void {
    if (message === undefined) return;
    reply.reasoning(asText(message['thinking']) ?? '');
    reply.text(asText(message['content']) ?? '');
    for (const entry of asList(message['tool_calls'])) {
      const call = asFields(entry);
      const fn = asFields(call?.['function']);
      // Each entry is a whole call, whatever index it carries.
      reply.call({ index: calls, id: asText(call?.['id']), name: asText(fn?.['name']), arguments: fn?.['arguments'] });
      calls += 1;
    }
  }

  const lines = createLineParser(onLine, context.lineLength);
  return {
    push: (bytes) => lines.push(bytes) > 0,
    end() {
      lines.end();
      if (!reply.isOver())
        throw reply.broken(
          reply.hasContent() ? 'the reply ended without its last line: it was cut' : 'the reply is empty',
        );
    },
    partialText: reply.partialText,
  };
}

function usageOf(line: Fields): Usage | undefined {
  const input = asNumber(line['prompt_eval_count']);
  const output = asNumber(line['eval_count']);
  return input === undefined && output === undefined
    ? undefined
    : { inputTokens: input ?? 0, outputTokens: output ?? 0 };
}
