import { dirname } from 'node:path/posix';
import { visible } from '@kernel/internal';
import type { Workspace } from '@kernel/toolbox';
import type { ServerCompletion } from './complete-servers.ts';

/** Finds what may follow what is typed: the candidates, and the part of the line that they replace. Never calls back with an error. */
export type Complete = (
  line: string,
  done: (error: null, result: [candidates: string[], replaced: string]) => void,
) => void;

interface CompletionSource {
  readonly commands: readonly string[];
  readonly tools: () => readonly string[];
  readonly workspace: Workspace;
  /** What servers offer; absent where none were added. */
  readonly servers?: ServerCompletion | undefined;
  /** Completes the answer to a question that is being asked; undefined while none is. */
  readonly answer?: () => ((typed: string) => Promise<readonly string[]>) | undefined;
}

const MAX_CANDIDATES = 200;

/** Completes `/commands`, the tool after `/tools`, `@paths` of the workspace, where files that tools cannot read are left out, and what servers offer. */
export function createComplete({ commands, tools, workspace, servers, answer }: CompletionSource): Complete {
  return (line, done) => {
    const word = line.slice(line.lastIndexOf(' ') + 1);
    const finish = (candidates: readonly string[]): void =>
      done(null, [candidates.filter((each) => each.startsWith(word)).slice(0, MAX_CANDIDATES), word]);
    const later = (...lists: readonly Promise<readonly string[]>[]): void =>
      void Promise.all(lists.map((list) => list.catch(() => []))).then((all) => finish(all.flat().filter(isPlain)));
    const answered = answer?.();
    if (answered !== undefined) later(answered(line));
    else if (line.startsWith('/') && word === line)
      later(Promise.resolve(commands.map((name) => `${name} `)), servers?.prompts(word) ?? NONE);
    else if (line.startsWith('/tools ')) finish(tools());
    else if (word.startsWith('@')) later(pathsFor(workspace, word.slice(1)), servers?.mentions(word) ?? NONE);
    else finish([]);
  };
}

/** Whether a candidate can be shown as it is: a server may offer any text, and the line editor escapes none. */
function isPlain(candidate: string): boolean {
  return candidate.length <= MAX_CANDIDATE && !/[\r\n]/.test(candidate) && visible(candidate) === candidate;
}

const MAX_CANDIDATE = 2000;
const NONE: Promise<readonly string[]> = Promise.resolve([]);

async function pathsFor(workspace: Workspace, typed: string): Promise<readonly string[]> {
  const folder = typed.endsWith('/') ? typed.slice(0, -1) || '.' : dirname(typed);
  const prefix = folder === '.' ? '' : `${folder}/`;
  const entries = await workspace.list(folder);
  return entries
    .filter(({ name }) => !/\s/.test(name) && workspace.allows('read', `${prefix}${name}`))
    .map(({ name, type }) => `@${prefix}${name}${type === 'directory' ? '/' : ' '}`);
}

/** Turns each `@path` of a message that is a file or folder of the workspace into its path, which a tool can read. */
export async function resolveMentions(text: string, workspace: Workspace): Promise<string> {
  const words = text.split(/(\s+)/);
  const resolved = words.map(async (word) => {
    if (!/^@[^@]/.test(word) || word.length > 1000) return word;
    const path = word.slice(1);
    const isThere = await workspace.stat(path).then(
      () => true,
      () => false,
    );
    return isThere ? path : word;
  });
  return (await Promise.all(resolved)).join('');
}
