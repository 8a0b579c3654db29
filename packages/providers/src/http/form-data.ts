import { joinBytes } from './join-bytes.ts';

export function encodeForm(
  fields: readonly (readonly [string, unknown])[],
  file: { readonly data: Uint8Array; readonly mimeType: string; readonly name: string },
): { readonly contentType: string; readonly body: Uint8Array } {
  const boundary = `form-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  const parts: (string | Uint8Array)[] = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`,
  );
  parts.push(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escapeName(file.name)}"\r\n`,
    `content-type: ${file.mimeType.replaceAll(/[\r\n]/g, '')}\r\n\r\n`,
    file.data,
    `\r\n--${boundary}--\r\n`,
  );
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: joinBytes(parts) };
}

/** Escapes as the HTML standard says for form data. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
