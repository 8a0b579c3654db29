import { quote } from '../workspace/errors.ts';
import { type Field, readFrontmatter } from './frontmatter.ts';
import { splitTools } from './allowed-tools.ts';
import type { SkillProperties } from './types.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
const FIELDS: readonly string[] = ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'];

export interface ParsedSkill {
  /** What its head says; undefined if that breaks a rule of the specification. */
  readonly properties: SkillProperties | undefined;
  readonly body: string;
  readonly errors: readonly string[];
  /** What the specification does not know: no reason not to use the skill. */
  readonly unknown: readonly string[];
}

/** Reads and checks a `SKILL.md` by the Agent Skills specification. `folderName` is the name of its folder. */
export async function parseSkill(content: string, folderName: string): Promise<ParsedSkill> {
  const read = await readFrontmatter(content);
  if ('problem' in read) return { properties: undefined, body: '', errors: [read.problem], unknown: [] };
  const { body, fields } = read;
  const name = normalName(fields.get('name'));
  const errors = [
    ...checkName(fields.get('name'), name, folderName),
    ...checkDescription(fields.get('description')),
    ...checkCompatibility(fields.get('compatibility')),
    ...checkOthers(fields),
  ];
  const extra = [...fields.keys()].filter((key) => !FIELDS.includes(key)).toSorted();
  const unknown =
    extra.length === 0
      ? []
      : [
          `Unexpected fields in frontmatter: ${extra.slice(0, 20).map(quote).join(', ')}. Only ${FIELDS.join(', ')} are allowed.`,
        ];
  const properties = errors.length === 0 ? propertiesOf(fields, name) : undefined;
  return { properties, body, errors, unknown };
}

export function normalName(name: Field | undefined): string {
  return typeof name === 'string' ? name.trim().normalize('NFKC') : '';
}

function propertiesOf(fields: ReadonlyMap<string, Field>, name: string): SkillProperties {
  const text = (key: string): string | undefined => {
    const value = fields.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  const license = text('license');
  const compatibility = text('compatibility');
  const metadata = fields.get('metadata');
  const tools = fields.get('allowed-tools');
  return {
    name,
    description: (text('description') ?? '').trim(),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    metadata: isMap(metadata) ? Object.fromEntries(metadata) : {},
    allowedTools: typeof tools === 'string' ? splitTools(tools) : Array.isArray(tools) ? tools.flatMap(splitTools) : [],
  };
}

function checkName(given: Field | undefined, name: string, folderName: string): readonly string[] {
  if (given === undefined) return ['Missing required field in frontmatter: name'];
  if (name === '') return ["Field 'name' must be a non-empty string"];
  const errors: string[] = [];
  const shown = quote(name);
  const length = lengthOf(name);
  if (length > MAX_NAME) errors.push(`Skill name ${shown} exceeds ${MAX_NAME} character limit (${length} chars)`);
  if (name !== name.toLowerCase()) errors.push(`Skill name ${shown} must be lowercase`);
  if (name.startsWith('-') || name.endsWith('-')) errors.push('Skill name cannot start or end with a hyphen');
  if (name.includes('--')) errors.push('Skill name cannot contain consecutive hyphens');
  if (!/^[\p{L}\p{N}-]+$/u.test(name))
    errors.push(`Skill name ${shown} contains invalid characters. Only letters, digits, and hyphens are allowed.`);
  if (folderName.normalize('NFKC') !== name)
    errors.push(`Directory name ${quote(folderName)} must match skill name ${shown}`);
  return errors;
}

function checkDescription(given: Field | undefined): readonly string[] {
  if (given === undefined) return ['Missing required field in frontmatter: description'];
  if (typeof given !== 'string' || given.trim() === '') return ["Field 'description' must be a non-empty string"];
  const length = lengthOf(given);
  return length > MAX_DESCRIPTION ? [`Description exceeds ${MAX_DESCRIPTION} character limit (${length} chars)`] : [];
}

function checkCompatibility(given: Field | undefined): readonly string[] {
  if (given === undefined) return [];
  if (typeof given !== 'string' || given.trim() === '') return ["Field 'compatibility' must be a non-empty string"];
  const length = lengthOf(given);
  return length > MAX_COMPATIBILITY
    ? [`Compatibility exceeds ${MAX_COMPATIBILITY} character limit (${length} chars)`]
    : [];
}

function checkOthers(fields: ReadonlyMap<string, Field>): readonly string[] {
  const errors: string[] = [];
  const { license, metadata, tools } = {
    license: fields.get('license'),
    metadata: fields.get('metadata'),
    tools: fields.get('allowed-tools'),
  };
  if (license !== undefined && typeof license !== 'string') errors.push("Field 'license' must be a string");
  if (metadata !== undefined && metadata !== '' && !isMap(metadata))
    errors.push("Field 'metadata' must be a map from strings to strings");
  if (isMap(tools)) errors.push("Field 'allowed-tools' must be a string of names separated by spaces");
  return errors;
}

function isMap(value: Field | undefined): value is ReadonlyMap<string, string> {
  return value instanceof Map;
}

/** Characters as a person counts them: code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
