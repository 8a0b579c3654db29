import { truncate } from '@kernel/internal';
import type {
  AssistantMessage,
  OpaquePart,
  ReasoningPart,
  ServerToolCall,
  ServerToolResult,
  TextPart,
  ToolCall,
} from '@kernel/protocol';
import { sourceLines } from './parts.ts';

/** A part that every wire knows how to send. @internal */
export type SendablePart = TextPart | ReasoningPart | ToolCall | OpaquePart;

const MAX_SUMMARY = 2_000;

/**
 * Returns the parts of a message as a vendor gets them: what it ran itself goes back as it was received, what another vendor ran becomes text, and
 * citations of another vendor are left out. @internal
 */
export function partsForVendor(message: AssistantMessage, vendor: string): readonly SendablePart[] {
  const isOwn = message.provider?.vendor === vendor;
  return message.content.flatMap((part): readonly SendablePart[] => {
    switch (part.type) {
      case 'text':
        return isOwn || part.providerData === undefined ? [part] : [{ type: 'text', text: part.text }];
      case 'server-tool-call':
      case 'server-tool-result':
        return isOwn ? ownPart(part) : [{ type: 'text', text: summaryOf(part) }];
      default:
        return [part];
    }
  });
}

/** Returns the text of a message as a vendor gets it whose API has text and calls alone. @internal */
export function textForVendor(message: AssistantMessage, vendor: string): string {
  let text = '';
  for (const part of partsForVendor(message, vendor)) if (part.type === 'text') text += part.text;
  return text;
}

/** What the vendor only reported on has no part to send back. */
function ownPart({ name, providerData }: ServerToolCall | ServerToolResult): readonly OpaquePart[] {
  return providerData === undefined ? [] : [{ type: 'opaque', kind: name, providerData }];
}

function summaryOf(part: ServerToolCall | ServerToolResult): string {
  if (part.type === 'server-tool-call') return `\n[Ran ${part.name} with ${truncate(part.arguments, MAX_SUMMARY)}]\n`;
  const found = part.text === '' && part.sources !== undefined ? sourceLines(part.sources) : part.text;
  const outcome = part.isError === true ? 'failed' : 'gave';
  return `\n[${part.name} ${outcome}: ${found === '' ? '(no text)' : truncate(found, MAX_SUMMARY)}]\n`;
}
