import { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { EditorFiles } from '@kernel/toolbox/workspace';
import type { EditorConnection } from './editor-connection.ts';

/** What an editor answers that does not have a file. */
const RESOURCE_NOT_FOUND = -32_002;

/** The files of an editor with `fs`; undefined for one without. */
export function editorFiles({ client, capabilities, sessionId }: EditorConnection): EditorFiles | undefined {
  const { readTextFile, writeTextFile } = capabilities.fs ?? {};
  if (readTextFile !== true && writeTextFile !== true) return undefined;
  return {
    ...(readTextFile === true && {
      async readText(path, { signal }) {
        const options = signal && { cancellationSignal: signal, stopWaitingOnCancel: true };
        try {
          return (await client.request('fs/read_text_file', { sessionId, path }, options)).content;
        } catch (error) {
          if (error instanceof RequestError && error.code === RESOURCE_NOT_FOUND) return undefined;
          throw error;
        }
      },
    }),
    ...(writeTextFile === true && {
      async writeText(path, content, { signal }) {
        // Not given up on an abort: it may have been written, and who undoes it must know.
        signal?.throwIfAborted();
        await client.request('fs/write_text_file', { sessionId, path, content });
      },
    }),
  };
}
