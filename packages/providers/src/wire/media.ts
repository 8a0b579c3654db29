import { KernelError, type MediaPart, type OpaquePart, type TextPart } from '@kernel/protocol';
import { asFields } from '../json-fields.ts';

export function dataOf(part: MediaPart, wire: string): string {
  if (part.data !== undefined) return part.data;
  if (part.url !== undefined)
    throw unsupportedPart(`${part.type} parts by URL`, wire, 'Load it and pass it as base64 in data.');
  throw part.id === undefined ? emptyPartError(part) : idError(part, wire);
}

export function urlOf(part: MediaPart, wire: string): string {
  if (part.url !== undefined) return part.url;
  if (part.data !== undefined) return `data:${part.mimeType};base64,${part.data}`;
  throw part.id === undefined ? emptyPartError(part) : idError(part, wire);
}

/** Returns at most one object: a stored part that is not an object is left out. */
export function opaqueData({ providerData }: OpaquePart): readonly object[] {
  const data = asFields(providerData);
  return data === undefined ? [] : [data];
}

export function unsupportedPart(what: string, wire: string, hint: string): KernelError {
  return new KernelError('PROVIDER_UNSUPPORTED', `The ${wire} API does not accept ${what}.`, { hint });
}

export function textOrNote(part: TextPart | MediaPart): string {
  if (part.type === 'text') return part.text;
  const name = part.name === undefined ? '' : ` "${part.name}"`;
  const where = part.url === undefined ? '' : ` at ${part.url}`;
  return `[${part.type}${name} (${part.mimeType})${where}, left out: this API does not accept it here]`;
}

/** Some wires have no field that says that a tool failed. */
export function markError(text: string, isError: boolean): string {
  return isError && !text.startsWith('Error:') ? `Error: ${text}` : text;
}

function idError(part: MediaPart, wire: string): KernelError {
  return unsupportedPart(`${part.type} parts by id`, wire, 'Pass it as base64 in data, or by its url.');
}

function emptyPartError(part: MediaPart): KernelError {
  return new KernelError('CONFIG_INVALID', `A part of type "${part.type}" has neither data nor url.`, {
    hint: 'Set data (base64), url or id.',
  });
}
