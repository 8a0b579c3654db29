import type { Citation } from '@kernel/protocol';
import type { ClientCall, ClientServerToolResult } from '../client-view/client-event-types.ts';
import { parseInput } from './ui-call-converter.ts';
import type { UiMessageChunk } from './ui-message-chunk.ts';

/** Creates the converter of one message. Ids that a vendor uses again are told apart. */
export function createUiServerToolConverter() {
  const ids = new Map<string, string>();
  const cited = new Set<string>();
  let calls = 0;
  return {
    begin({ callId, name, arguments: text = '{}' }: ClientCall): readonly UiMessageChunk[] {
      calls += 1;
      const toolCallId = ids.has(callId) ? `${callId}_${calls}` : callId;
      ids.set(callId, toolCallId);
      const input = parseInput(text);
      return [{ type: 'tool-input-available', toolCallId, toolName: name, input, providerExecuted: true }];
    },
    end({ callId, isError, text = '' }: ClientServerToolResult): readonly UiMessageChunk[] {
      const toolCallId = ids.get(callId);
      if (toolCallId === undefined) return [];
      if (isError === true)
        return [
          { type: 'tool-output-error', toolCallId, errorText: text === '' ? FAILED : text, providerExecuted: true },
        ];
      return [{ type: 'tool-output-available', toolCallId, output: text, providerExecuted: true }];
    },
    /** Sources without an address have no part in the protocol. */
    cite({ url, title }: Citation): readonly UiMessageChunk[] {
      if (url === undefined || cited.has(url)) return [];
      cited.add(url);
      return [{ type: 'source-url', sourceId: `source-${cited.size}`, url, ...(title === undefined ? {} : { title }) }];
    },
  };
}

const FAILED = 'The tool did not succeed.';
