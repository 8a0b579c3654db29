import { join } from 'node:path';
import type { ServedContent, ServedFiles, ServedPrompt } from '@kernel/mcp';
import type { OpenTools } from '../agent/open-tools.ts';
import type { CommandCall } from '../command-call.ts';
import { configFolder } from '../config/folders.ts';
import { oneLine } from '../output/escape.ts';
import { listTemplates } from '../prompt/list-templates.ts';
import { loadTemplate } from '../prompt/template.ts';

/**
 * What `serve mcp` has beside tools: the templates of the user's settings as prompts, the skills of the settings and of the project (`.agents/skills`), and
 * with `--files` the files of the workspace that the rules let a model read without a question.
 */
export async function contentOf({ flags, host, output, signal }: CommandCall, open: OpenTools): Promise<ServedContent> {
  const [{ loadSkills }, templates] = await Promise.all([
    import('@kernel/toolbox/skills'),
    listTemplates(host, output),
  ]);
  const root = open.workspace.folder ?? host.cwd;
  const skills = await loadSkills({
    folders: [
      { path: join(configFolder(host), 'skills'), from: 'user' },
      { path: join(root, '.agents/skills'), from: 'project' },
    ],
    // Nothing of it is run or shown to a model here: that is for the client to ask its user.
    approve: () => true,
    signal,
  });
  for (const { folder, message } of skills.problems) output.note(`warning: ${oneLine(`${folder}: ${message}`, 600)}`);
  const prompts = templates.map(({ name, summary, variables }): ServedPrompt => ({
    name,
    description: summary,
    arguments: variables,
    messages: async ({ input = '', ...values }) => {
      const given = Object.entries(values).map(([key, value]) => `${key}=${value}`);
      const { prompt = '', system } = await loadTemplate(name, { variables: given, input, host });
      return system === undefined ? prompt : `${system}\n\n${prompt}`;
    },
  }));
  return {
    prompts,
    ...(skills.list().length === 0 ? {} : { skills: skills.files() }),
    ...(flags.files === true ? { files: await readableFiles(open, root) } : {}),
  };
}

async function readableFiles({ rules, workspace }: OpenTools, root: string): Promise<ServedFiles> {
  const [{ visibleFiles }, { permissions }] = await Promise.all([
    import('@kernel/toolbox/files'),
    import('@kernel/toolbox/permissions'),
  ]);
  const files = visibleFiles(workspace);
  const policy = permissions(rules(), { root });
  // There is nobody to ask: what a rule asks about is not served.
  const isOpen = (path: string): boolean => {
    const { rule, verdict } = policy.decide('read_file', { path });
    return verdict === 'allow' || (verdict === 'ask' && rule === undefined);
  };
  return {
    async *list(signal) {
      for await (const path of files.list(signal)) if (isOpen(path)) yield path;
    },
    async read(path, options) {
      if (!isOpen(path)) throw new Error('A rule keeps this file from being read.');
      return files.read(path, options);
    },
  };
}
