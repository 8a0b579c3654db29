import { joinBytes } from './join-bytes.ts';

/** A file of a form. @internal */
export interface FormFile {
  /** Its bytes. */
  readonly data: Uint8Array;
  /** Its media type. */
  readonly mimeType: string;
  /** Its name. */
  readonly name: string;
}

/** A form with one file, in its field `file`, as multipart form data. @internal */
export function encodeForm(
  fields: readonly (readonly [string, unknown])[],
  file: FormFile,
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

/** Escapes quotes and line breaks of a form field's name as the HTML standard does. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
