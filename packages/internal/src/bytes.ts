import { node, nodeModule } from './platform.ts';

/** Copies bytes whose memory is reused. Node's buffers are the faster way: small ones share memory. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return node.Buffer === undefined ? new Uint8Array(bytes) : node.Buffer.from(bytes);
}

/** Reads UTF-8; a byte-order mark stays, and bytes that are not UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (node.Buffer === undefined) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return node.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Reads UTF-8 that arrives in pieces, with characters cut anywhere; `end` returns U+FFFD for one that was. Node's own is the faster one for small pieces. */
export function createUtf8Decoder(): { write(bytes: Uint8Array): string; end(): string } {
  const module = nodeModule('node:string_decoder');
  if (module !== undefined) return new module.StringDecoder('utf8');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

export function toBase64(bytes: Uint8Array): string {
  if (node.Buffer !== undefined)
    return node.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  let binary = '';
  // A call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Reads base64, standard or URL-safe; characters that are neither are ignored. */
export function fromBase64(text: string): Uint8Array {
  if (node.Buffer !== undefined) return node.Buffer.from(text, 'base64');
  const standard = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  // One character alone holds no byte.
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}
