import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { validateSkill } from '../../src/skills/index.ts';
import { parseSkill } from '../../src/skills/parse-skill.ts';
import { folderWith } from '../workspace/folders.ts';
import { skillFolder, skillMd } from './support.ts';

const head = (name: string, more = '') => skillMd(`name: ${name}\ndescription: A test skill${more}`);

describe('a valid skill breaks no rule', () => {
  it.each([
    ['my-skill', ''],
    ['a', ''],
    ['a'.repeat(64), ''],
    ['x2-y3', ''],
    ['技能', ''],
    ['мой-навык', ''],
    ['навык', ''],
    ['my-skill', '\nlicense: MIT\nmetadata:\n  author: Test\n  version: 1.0'],
    ['my-skill', '\ncompatibility: Requires Python 3.11+'],
    ['my-skill', '\nallowed-tools: Bash(jq:*) Bash(git:*)'],
    ['my-skill', '\nallowed-tools: [Read, "Bash(git:*)"]'],
    ['my-skill', '\nmetadata: {}'],
  ])('%s%s', async (name, more) => {
    verifies('toolbox.skills.specification');
    expect(await validateSkill(skillFolder(name, head(name, more)))).toEqual([]);
  });

  it('its name is compared in the form NFKC, so that both spellings of é are one', async () => {
    verifies('toolbox.skills.specification');
    expect(await validateSkill(skillFolder('café', head('cafe\u0301')))).toEqual([]);
  });

  it('its file may be skill.md, and SKILL.md goes first', async () => {
    verifies('toolbox.skills.specification');
    const folder = join(folderWith({ 'low/skill.md': head('low') }), 'low');
    expect(await validateSkill(folder)).toEqual([]);
    writeFileSync(join(folder, 'SKILL.md'), 'no head');
    expect(await validateSkill(folder)).toEqual(['SKILL.md must start with YAML frontmatter (---)']);
  });

  it('its file may have a byte order mark and Windows line ends', async () => {
    const text = `\uFEFF${head('win').replaceAll('\n', '\r\n')}`;
    expect(await validateSkill(skillFolder('win', text))).toEqual([]);
    expect((await parseSkill(text, 'win')).body).toBe(
      '# Steps\n\nDo it.'.replaceAll('\n', '\r\n').replace('\r\n\n', '\r\n\r\n'),
    );
  });
});

describe('a rule that is broken is named', () => {
  const long = 'a'.repeat(70);
  it.each([
    ['MySkill', head('MySkill'), 'must be lowercase'],
    ['НАВЫК', head('НАВЫК'), 'must be lowercase'],
    [long, head(long), 'exceeds 64 character limit (70 chars)'],
    ['-my-skill', head('-my-skill'), 'cannot start or end with a hyphen'],
    ['my-skill-', head('my-skill-'), 'cannot start or end with a hyphen'],
    ['my--skill', head('my--skill'), 'cannot contain consecutive hyphens'],
    ['my_skill', head('my_skill'), 'contains invalid characters'],
    ['my skill', head('my skill'), 'contains invalid characters'],
    ['a.b', head('a.b'), 'contains invalid characters'],
    ['wrong-name', head('correct-name'), 'Directory name "wrong-name" must match skill name "correct-name"'],
    ['a', skillMd('description: d'), 'Missing required field in frontmatter: name'],
    ['a', skillMd('name:\ndescription: d'), "Field 'name' must be a non-empty string"],
    ['a', skillMd('name: "  "\ndescription: d'), "Field 'name' must be a non-empty string"],
    ['a', skillMd('name: [a]\ndescription: d'), "Field 'name' must be a non-empty string"],
    ['a', skillMd('name: a'), 'Missing required field in frontmatter: description'],
    ['a', skillMd('name: a\ndescription: " "'), "Field 'description' must be a non-empty string"],
    ['a', skillMd(`name: a\ndescription: ${'x'.repeat(1100)}`), 'exceeds 1024 character limit (1100 chars)'],
    ['a', head('a', `\ncompatibility: ${'x'.repeat(550)}`), 'exceeds 500 character limit (550 chars)'],
    ['a', head('a', '\ncompatibility: ""'), "Field 'compatibility' must be a non-empty string"],
    ['a', head('a', '\nunknown_field: x'), 'Unexpected fields in frontmatter: "unknown_field"'],
    ['a', head('a', '\nlicense: [MIT]'), "Field 'license' must be a string"],
    ['a', head('a', '\nmetadata: [x]'), "Field 'metadata' must be a map"],
    ['a', head('a', '\nallowed-tools: {a: b}'), "Field 'allowed-tools' must be a string"],
    ['a', '# No frontmatter here', 'must start with YAML frontmatter'],
    ['a', '---\nname: a\ndescription: d\n', 'not properly closed'],
    ['a', skillMd('name: [invalid\ndescription: broken'), 'Invalid YAML'],
    ['a', skillMd('- just\n- a\n- list'), 'must be a YAML mapping'],
    ['a', skillMd(''), 'must be a YAML mapping'],
  ])('%#: %.20s: %.40j', async (name, content, message) => {
    verifies('toolbox.skills.specification');
    const errors = await validateSkill(skillFolder(name, content));
    expect(errors.join('\n')).toContain(message);
  });

  it('no folder, a file and a folder without SKILL.md are named too', async () => {
    verifies('toolbox.skills.specification');
    const folder = folderWith({ 'file.txt': 'x' });
    mkdirSync(join(folder, 'empty'));
    expect(await validateSkill(join(folder, 'none'))).toEqual([expect.stringContaining('Path does not exist')]);
    expect(await validateSkill(join(folder, 'file.txt'))).toEqual([expect.stringContaining('Not a directory')]);
    expect(await validateSkill(join(folder, 'empty'))).toEqual(['Missing required file: SKILL.md']);
  });
});

it('the fields come as they are written', async () => {
  verifies('toolbox.skills.specification');
  const text = skillMd(
    'name: a\ndescription: >\n  Folded\n  text\nlicense: MIT\nallowed-tools: Bash(jq:*) Bash(git status:*), Read\nmetadata:\n  author: Test Author\n  version: 1.0\n  on: yes\n  __proto__: x',
    'Body --- with dashes\n---\nand a line of them',
  );
  const { body, properties } = await parseSkill(text, 'a');
  expect(properties).toMatchObject({
    name: 'a',
    description: 'Folded text',
    license: 'MIT',
    allowedTools: ['Bash(jq:*)', 'Bash(git status:*)', 'Read'],
  });
  expect(Object.entries(properties?.metadata ?? {})).toEqual([
    ['author', 'Test Author'],
    ['version', '1.0'],
    ['on', 'yes'],
    ['__proto__', 'x'],
  ]);
  expect(body).toBe('Body --- with dashes\n---\nand a line of them');
});
