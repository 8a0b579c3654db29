import { objectSchema } from '../object-schema.ts';
import { posix } from 'node:path';
import { nearest, visibleText } from '@kernel/internal';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { bounded } from '../files/describe.ts';
import { decodeText, detectFormat } from '../text/encoding.ts';
import { quote, toolError } from '../workspace/errors.ts';
import { mayHoldCredentials } from '../workspace/index.ts';
import { changedError, isChanged, type OpenedSkill, type SkillsInUse } from './open-skill.ts';
import { normalName } from './parse-skill.ts';

const MAX_TEXT = 100_000;
const MAX_LISTED = 50;

const tool: Tool = {
  name: 'skill',
  title: 'Load a skill',
  description: 'Loads the instructions of a skill, or one of its files.',
  parameters: objectSchema(['name'], {
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'The name of the skill.' },
    file: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Path of a file of the skill. Default: its instructions.',
    },
  }),
  effect: 'read',
  metadata: { category: 'skills', usageHint: 'Before a task that the description of a skill fits.' },
};

/** Makes `skill`: loading the instructions puts a skill in use, and nothing of it is run. */
export function skillTool(skills: SkillsInUse): ToolWithHandler {
  return {
    tool,
    handler: async (
      { file, name }: { readonly name: string; readonly file?: string },
      { signal },
    ): Promise<ToolResult | string> => {
      const opened = skills.find(normalName(name));
      if (opened === undefined) throw unknownSkill(name, skills.names());
      try {
        if (file !== undefined) return await readSkillFile(opened, file, signal);
        if (!(await opened.isUnchanged(signal))) throw changedError(opened.skill.name);
        const result = await instructions(opened, signal);
        skills.use(opened);
        return result;
      } catch (error) {
        if (isChanged(error)) skills.drop(opened);
        throw error;
      }
    },
  };
}

async function instructions(opened: OpenedSkill, signal: AbortSignal): Promise<ToolResult> {
  const { folder, name, rules } = opened.skill;
  const body = await opened.readBody(signal);
  const files = (await opened.files(signal)).filter((path) => !/^skill\.md$/i.test(path) && !mayHoldCredentials(path));
  const listed = files.slice(0, MAX_LISTED).map((path) => visibleText(path).replaceAll('\n', ' '));
  const more = files.length > MAX_LISTED ? [`… (${files.length - MAX_LISTED} more)`] : [];
  const parts = [
    `<skill_content name="${name}">`,
    // The end of the instructions is where it says so, whatever they contain.
    bounded(body, MAX_TEXT).replaceAll(/<(?=\/?skill_content)/gi, '&lt;'),
    '</skill_content>',
    `Folder of the skill: ${visibleText(folder)}`,
    ...(files.length === 0 ? [] : ['Files, for skill with "file":', ...listed, ...more]),
  ];
  const allows = rules.flatMap((rule) => Object.values(rule));
  const note = allows.length === 0 ? '' : ` It may use without a question: ${allows.join(', ')}.`;
  return { forLLM: parts.join('\n'), forUser: `Skill "${name}" is in use.${note}` };
}

async function readSkillFile(opened: OpenedSkill, file: string, signal: AbortSignal): Promise<string> {
  const path = posix.normalize(file.replaceAll('\\', '/'));
  if (path.startsWith('/') || path === '..' || path.startsWith('../') || path.includes('\0'))
    throw toolError(`${quote(file)} is outside of the skill; give a path relative to its folder.`);
  if (mayHoldCredentials(path)) throw toolError(`${quote(file)} may hold credentials, so it is not shown.`);
  const bytes = await opened.readFile(path, signal);
  const format = detectFormat(bytes);
  if (format === undefined) throw toolError(`${quote(file)} is a binary file (${bytes.length} bytes), not text.`);
  return bounded(decodeText(bytes, format).toWellFormed(), MAX_TEXT);
}

function unknownSkill(name: string, known: readonly string[]): Error {
  const near = nearest(name, known);
  const hint =
    near.length > 0 ? `Did you mean ${near.map(quote).join(' or ')}?` : `There are: ${known.slice(0, 20).join(', ')}.`;
  return toolError(`There is no skill ${quote(name)}. ${known.length === 0 ? '' : hint}`.trim());
}
