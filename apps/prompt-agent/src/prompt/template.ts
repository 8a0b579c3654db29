import { usageError } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { readSettingsFile } from './settings-file.ts';

export interface Template {
  /** The prompt, with `$name` for a variable; `$input` is the prompt of the command line. */
  readonly prompt?: string | undefined;
  readonly system?: string | undefined;
  readonly model?: string | undefined;
}

/** Reads the template of `-t`, a YAML file of the user's settings, and fills in its variables. Rejects with a usage error that names what is wrong. */
export async function loadTemplate(
  name: string,
  { variables, input, host }: { readonly variables: readonly string[]; readonly input: string; readonly host: Host },
): Promise<Template> {
  const file = { flag: '-t', folder: 'templates', extension: '.yaml' };
  const text = await readSettingsFile(file, name, host);
  const checked = await parseTemplate(name, text);
  const values = new Map<string, string>([
    ...Object.entries(checked.defaults ?? {}),
    ...variables.map(split),
    ['input', input],
  ]);
  const prompt = fillIn(checked.prompt ?? '$input', values, name);
  const system = checked.system === undefined ? undefined : fillIn(checked.system, values, name);
  // A template without a place for the prompt gets it at the end.
  const isUnused = !prompt.used.has('input') && input.trim() !== '';
  return {
    system: system?.text,
    model: checked.model,
    prompt: isUnused ? `${prompt.text}\n\n${input}` : prompt.text,
  };
}

/** Parses and checks the file of a template. Rejects with a usage error that names what is wrong. */
export async function parseTemplate(name: string, text: string) {
  const [{ parse }, { templateSchema }] = await Promise.all([import('yaml'), import('../config/file-schemas.ts')]);
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw usageError(
      `-t: ${name}.yaml is not valid YAML: ${error instanceof Error ? error.message.split('\n', 1)[0] : 'unreadable'}.`,
    );
  }
  return templateSchema(`${name}.yaml`, content);
}

const VARIABLE = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** The names of the variables of a text, in their order. */
export function variablesOf(text: string): readonly string[] {
  return Array.from(text.matchAll(VARIABLE), ([, plain, braced]) => plain ?? braced).filter(
    (name) => name !== undefined,
  );
}

function split(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`--var "${text}" must be NAME=VALUE.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Replaces `$name` and `${name}`; `$$` is a dollar sign. Returns the text and the names in it. */
function fillIn(
  text: string,
  values: ReadonlyMap<string, string>,
  template: string,
): { readonly text: string; readonly used: ReadonlySet<string> } {
  const absent = new Set<string>();
  const used = new Set<string>();
  const filled = text.replaceAll(VARIABLE, (whole, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return '$';
    used.add(name);
    const value = values.get(name);
    if (value === undefined) absent.add(name);
    return value ?? whole;
  });
  if (absent.size > 0)
    throw usageError(
      `-t: ${template} needs ${[...absent].map((name) => `--var ${name}=VALUE`).join(' ')}. Write $$ for a dollar sign.`,
    );
  return { text: filled, used };
}
