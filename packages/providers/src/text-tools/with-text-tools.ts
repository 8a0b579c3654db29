import type { Provider } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import type { TextFormat } from './format.ts';
import { ANY_FORMAT, type TextFormatName, textFormat } from './formats.ts';
import { readCalls } from './read-calls.ts';
import { createRenderer } from './render.ts';

/**
 * Gives tools to a model that has no native calls: they are described in the system prompt, and calls are read back out of
 * the text. The request goes out without `tools`; earlier calls and results are written in the same format.
 *
 * Throws `CONFIG_INVALID` for an unknown format. Markup that is broken, unfinished or names a tool that is not on offer stays
 * text; a call of a reply that was cut stands in `droppedCalls`.
 */
export function withTextTools(provider: Provider, format: TextFormatName | TextFormat): Provider {
  const chosen = textFormat(format);
  const renderer = createRenderer(chosen);
  return {
    ...others(provider),
    async *stream(request) {
      checkRequest(request);
      const events = provider.stream(renderer.render(request));
      if (request.tools === undefined || request.tools.length === 0 || request.toolChoice === 'none') yield* events;
      else yield* readCalls(events, request, chosen);
    },
  };
}

/**
 * Reads calls out of the text of a model that prints them although it was asked natively. The request goes out as it is;
 * without `format` the marks of every format count, and call objects on lines of their own.
 */
export function detectTextCalls(provider: Provider, format?: TextFormatName | TextFormat): Provider {
  const chosen = format === undefined ? ANY_FORMAT : textFormat(format);
  return {
    ...others(provider),
    async *stream(request) {
      const events = provider.stream(request);
      if (request.tools === undefined || request.tools.length === 0 || request.toolChoice === 'none') yield* events;
      else yield* readCalls(events, request, chosen);
    },
  };
}

function others(provider: Provider): Omit<Provider, 'stream'> {
  return {
    name: provider.name,
    ...(provider.embed === undefined ? {} : { embed: provider.embed.bind(provider) }),
    ...(provider.transcribe === undefined ? {} : { transcribe: provider.transcribe.bind(provider) }),
  };
}
