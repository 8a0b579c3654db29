import type { FinishReason } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createExactArguments } from '../wire/arguments.ts';
import { createMessageBuilder, type DecoderContext } from '../wire/message-builder.ts';
import { createLineParser } from '../stream/lines.ts';
import { describeHtmlPage, findVendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/reply-decoder.ts';
import { toUsage } from '../wire/usage.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['load', 'other'],
  ['unload', 'other'],
]);

/** One JSON object per line, the last one with `done: true`. */
export function createOllamaDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('arguments');
  let callCount = 0;

  function onLine(line: string): void {
    if (builder.ended()) return;
    const value = asFields(parseJson(line));
    if (value === undefined) {
      const page = describeHtmlPage(line);
      if (page !== undefined) throw builder.protocolError(`the server answered 200 with ${page}`);
      throw builder.invalidJsonError(line);
    }
    exact.read(line, value);
    const error = findVendorError(value);
    if (error !== undefined) throw builder.vendorError(error);
    builder.model(value['model']);
    readMessage(asFields(value['message']));
    exact.forget();
    if (value['done'] !== true) return;
    builder.usage(toUsage(asNumber(value['prompt_eval_count']), asNumber(value['eval_count'])));
    const known = REASONS.get(asText(value['done_reason']) ?? 'stop') ?? 'other';
    if (known === 'length') builder.end(known);
    else builder.end(builder.hasCalls() ? 'tool-calls' : known);
  }

  function readMessage(message: Fields | undefined): void {
    if (message === undefined) return;
    builder.reasoning(asText(message['thinking']) ?? '');
    builder.text(asText(message['content']) ?? '');
    for (const entry of asList(message['tool_calls'])) {
      const call = asFields(entry);
      // A gateway may leave out the object of the function.
      const fn = asFields(call?.['function']) ?? call;
      // Each entry is a complete call, whatever index it has.
      builder.call({
        index: callCount,
        id: asText(call?.['id']),
        name: asText(fn?.['name']),
        arguments: exact.of(fn?.['arguments']),
      });
      callCount += 1;
    }
  }

  const lines = createLineParser(onLine, context.lineLength);
  return {
    push: (bytes) => lines.push(bytes) > 0,
    end() {
      lines.end();
      if (!builder.ended()) throw builder.cutError('the reply ended without its last line');
    },
    partialText: builder.partialText,
  };
}
