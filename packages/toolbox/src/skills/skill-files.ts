import { mayHoldCredentials } from '../workspace/index.ts';
import { quote, toolError } from '../workspace/errors.ts';
import type { OpenedSkill } from './open-skill.ts';
import type { SkillFileEntry, SkillFiles } from './types.ts';

const NEVER = new AbortController().signal;

/** The files of skills as one tree, which is looked at anew each time. */
export function filesOf(offered: () => readonly OpenedSkill[]): SkillFiles {
  const find = (path: string): { readonly opened: OpenedSkill; readonly below: string } => {
    const [name = '', ...rest] = path.split('/');
    const opened = offered().find(({ skill }) => skill.name === name);
    if (opened === undefined) throw toolError(`There is no skill ${quote(name)}.`);
    return { opened, below: rest.join('/') };
  };
  return {
    async list(folder) {
      if (folder === '') return offered().map(({ skill }) => ({ name: skill.name, kind: 'directory' }));
      const { below, opened } = find(folder);
      const start = below === '' ? '' : `${below}/`;
      const entries = new Map<string, SkillFileEntry>();
      for (const path of await pathsOf(opened)) {
        if (!path.startsWith(start)) continue;
        const [name = '', ...deeper] = path.slice(start.length).split('/');
        entries.set(name, { name, kind: deeper.length > 0 ? 'directory' : 'file' });
      }
      return [...entries.values()];
    },
    async read(path) {
      const { below, opened } = find(path);
      if (!(await pathsOf(opened)).includes(below)) throw toolError(`There is no ${quote(path)} among the skills.`);
      return opened.readFile(below, NEVER);
    },
  };
}

async function pathsOf(opened: OpenedSkill): Promise<readonly string[]> {
  return (await opened.files(NEVER)).filter((path) => !mayHoldCredentials(path));
}
