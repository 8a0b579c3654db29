import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { registerFiles } from './files.ts';
import { registerPrompts } from './prompts.ts';
import { checkContent, MAX_READ_BYTES, type ServedContent, type ServedSkills } from './served-content.ts';
import type * as Sdk from '@modelcontextprotocol/server';

/** Adds the content to the server of one connection. */
export type AddContent = (server: McpServer | Server) => void;

/** Reads which skills there are, and returns what adds the content to each server. Rejects with `CONFIG_INVALID` for content that cannot be served. */
export async function loadContent(
  sdk: typeof Sdk,
  owner: string,
  content: ServedContent | undefined,
  onError: ((error: Error) => void) | undefined,
): Promise<AddContent> {
  if (content === undefined) return () => {};
  checkContent(owner, content);
  const { files, prompts = [], skills } = content;
  const extension = skills === undefined ? undefined : await loadSkills(owner, skills, onError);
  return (server) => {
    if (!('server' in server))
      throw new KernelError(
        'CONFIG_INVALID',
        `${owner}: createServer returned a Server, which content cannot be added to.`,
        {
          hint: 'Return a McpServer, or leave out createServer or content.',
        },
      );
    try {
      // Skills before files, so that a client that looks at the beginning of the list sees them.
      extension?.attach(server);
      if (files !== undefined) registerFiles(sdk, server, files);
      registerPrompts(server, prompts);
    } catch (cause) {
      throw new KernelError('CONFIG_INVALID', `${owner}: the content cannot be served: ${errorMessage(cause)}.`, {
        cause,
      });
    }
  };
}

async function loadSkills(owner: string, skills: ServedSkills, onError: ((error: Error) => void) | undefined) {
  const { SkillsExtension } = await import('@modelcontextprotocol/server/ext/skills');
  let isLoading = true;
  const files = {
    list: async (folder: string) => [...(await skills.list(folder))],
    async read(path: string): Promise<Uint8Array> {
      const bytes = await skills.read(path);
      // What is too large to be sent is still part of the skill, with its digest.
      if (isLoading || bytes.length <= MAX_READ_BYTES) return bytes;
      throw new KernelError(
        'TOOL_FAILED',
        `"${path}" has ${bytes.length} bytes; at most ${MAX_READ_BYTES} are served.`,
      );
    },
  };
  const onWarning = ({ message, path }: { readonly message: string; readonly path: string }): void =>
    onError?.(new KernelError('CONFIG_INVALID', `${owner}: skill "${path}": ${message}`));
  try {
    const catalog = await SkillsExtension.load(files, { onWarning });
    return catalog.entries.length === 0 ? undefined : catalog;
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `${owner}: the skills cannot be read: ${errorMessage(cause)}.`, { cause });
  } finally {
    isLoading = false;
  }
}
