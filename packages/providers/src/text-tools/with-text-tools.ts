import type { Provider } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import type { TextFormat } from './format.ts';
import { type TextFormatName, textFormat } from './formats.ts';
import { ANY_FORMAT } from './formats/any.ts';
import { wrapUnary } from '../policies/wrap-unary.ts';
import { readCalls } from './read-calls.ts';
import { createRenderer } from './render.ts';

/**
 * Wraps a provider so that a model without native tool calls can use tools: they are described in the system prompt, and calls are read out
 * of the text of replies. The request is sent without `tools`; earlier calls and results are written in the same format.
 *
 * Throws `CONFIG_INVALID` for an unknown format. Markup that is malformed, incomplete or names a tool that is not offered stays text; the
 * calls of a reply that was cut off are in `droppedCalls`.
 *
 * @example
 * ```ts
 * import { createProvider } from '@kernel/providers';
 * import { withTextTools } from '@kernel/providers/text-tools';
 *
 * const provider = withTextTools(createProvider({ name: 'ollama' }), 'hermes');
 * ```
 */
export function withTextTools(provider: Provider, format: TextFormatName | TextFormat): Provider {
  const chosen = textFormat(format);
  const render = createRenderer(chosen);
  const countTokens = provider.countTokens?.bind(provider);
  return {
    name: provider.name,
    ...wrapUnary(provider),
    ...(countTokens && { countTokens: (request) => countTokens(render(request)) }),
    // A reply that is held to a schema has no room for calls.
    structuredOutput: async (model) => {
      const inner = await provider.structuredOutput?.(model);
      return inner === 'schema' ? 'schema-without-tools' : (inner ?? 'tool-call');
    },
    async *stream(request) {
      checkRequest(request);
      const events = provider.stream(render(request));
      if (request.tools === undefined || request.tools.length === 0 || request.toolChoice === 'none') yield* events;
      else yield* readCalls(events, request, chosen);
    },
  };
}

/**
 * Wraps a provider so that calls which a model writes as text, although its tools were sent natively, are read out of the text. The request
 * is sent unchanged. Without `format` the markup of every format is recognized, and call objects on lines of their own.
 */
export function detectTextCalls(provider: Provider, format?: TextFormatName | TextFormat): Provider {
  const chosen = format === undefined ? ANY_FORMAT : textFormat(format);
  return {
    name: provider.name,
    ...wrapUnary(provider),
    async *stream(request) {
      const events = provider.stream(request);
      if (request.tools === undefined || request.tools.length === 0 || request.toolChoice === 'none') yield* events;
      else yield* readCalls(events, request, chosen);
    },
  };
}
