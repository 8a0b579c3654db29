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
import { textOrNote } from '../media.ts';
import { sourceLines } from './parts.ts';

export type SendablePart = TextPart | ReasoningPart | ToolCall | OpaquePart;

const MAX_SUMMARY = 2_000;

/** Calls that the vendor ran itself go back as received; those of another vendor become text, without its citations. Media become a transcript or a note. */
export function partsForVendor(message: AssistantMessage, vendor: string): readonly SendablePart[] {
  const isOwn = message.provider?.vendor === vendor;
  return message.content.flatMap((part): readonly SendablePart[] => {
    switch (part.type) {
      case 'text':
        return isOwn || part.providerData === undefined ? [part] : [{ type: 'text', text: part.text }];
      case 'server-tool-call':
      case 'server-tool-result':
        return isOwn ? ownPart(part) : [{ type: 'text', text: summaryOf(part) }];
      case 'image':
      case 'audio':
      case 'file':
        return [{ type: 'text', text: part.transcript ?? textOrNote(part) }];
      default:
        return [part];
    }
  });
}

/** Writes a message for an API that has only text and calls. */
export function textForVendor(message: AssistantMessage, vendor: string): string {
  let text = '';
  for (const part of partsForVendor(message, vendor)) if (part.type === 'text') text += part.text;
  return text;
}

/** A call that the vendor only reported has no part to send back. */
function ownPart({ name, providerData }: ServerToolCall | ServerToolResult): readonly OpaquePart[] {
  return providerData === undefined ? [] : [{ type: 'opaque', kind: name, providerData }];
}

function summaryOf(part: ServerToolCall | ServerToolResult): string {
  if (part.type === 'server-tool-call') return `\n[Ran ${part.name} with ${truncate(part.arguments, MAX_SUMMARY)}]\n`;
  const found = part.text === '' && part.sources !== undefined ? sourceLines(part.sources) : part.text;
  const outcome = part.isError === true ? 'failed' : 'gave';
  return `\n[${part.name} ${outcome}: ${found === '' ? '(no text)' : truncate(found, MAX_SUMMARY)}]\n`;
}
