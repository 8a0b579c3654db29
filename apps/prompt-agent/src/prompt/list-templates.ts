import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sliceHead, visibleLine } from '@kernel/internal';
import { configFolder } from '../config/folders.ts';
import { readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { parseTemplate, variablesOf } from './template.ts';

/** A template, as others see it who choose one. */
export interface ListedTemplate {
  readonly name: string;
  /** The beginning of its prompt. */
  readonly summary: string;
  readonly variables: readonly { readonly name: string; readonly required: boolean }[];
}

const MAX_TEMPLATES = 200;
const MAX_SUMMARY = 120;

/** Lists the templates of the user's settings, by name. One that cannot be used is left out, and said. */
export async function listTemplates(
  host: Pick<Host, 'env' | 'home'>,
  output: Output,
): Promise<readonly ListedTemplate[]> {
  const folder = join(configFolder(host), 'templates');
  const files = (await readdir(folder).catch(() => [])).filter((file) => /^\w[\w.-]*\.yaml$/.test(file)).toSorted();
  const listed: ListedTemplate[] = [];
  for (const file of files.slice(0, MAX_TEMPLATES)) {
    const name = file.slice(0, -'.yaml'.length);
    try {
      const text = await readText(join(folder, file), '-t', file);
      if (text === undefined) continue;
      const { defaults = {}, prompt = '$input', system = '' } = await parseTemplate(name, text);
      const used = new Set([...variablesOf(system), ...variablesOf(prompt)]);
      // One without a place for the prompt gets it at its end.
      const variables = [...new Set([...used, 'input'])].map((each) => ({
        name: each,
        required: used.has(each) && !Object.hasOwn(defaults, each),
      }));
      listed.push({ name, summary: summaryOf(prompt), variables });
    } catch (error) {
      output.note(`warning: ${oneLine(error instanceof Error ? error.message : `${file} cannot be read.`, 600)}`);
    }
  }
  return listed;
}

function summaryOf(prompt: string): string {
  const line = visibleLine(prompt.trim().split('\n', 1)[0] ?? '');
  return line.length > MAX_SUMMARY ? `${sliceHead(line, MAX_SUMMARY)}…` : line;
}
