import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';
import { callsIn, withEditor } from './editor.ts';

export const FILES = { 'a.txt': 'one\n' };

/** Has one call, which is answered so, and returns what came of it. */
export function oneCall(
  call: object,
  answer: (request: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>,
  options: Partial<Parameters<typeof withEditor>[0]> = {},
) {
  const replies = [{ calls: [call as never] }, { text: 'Done.' }];
  return withEditor(
    { replies, files: FILES, answer, ...options },
    async ({ begin, prompt, questions, asked, cwd, updates }) => {
      const end = await prompt(await begin(), 'Do it.');
      const text = readFileSync(join(cwd, 'a.txt'), 'utf8');
      return { end, text, cwd, questions, result: asked().at(-1) ?? '', calls: callsIn(updates) };
    },
  );
}
