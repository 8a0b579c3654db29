import { KernelError } from '@kernel/protocol';
import type { Node, Pair } from 'yaml';
import { toolError } from '../workspace/errors.ts';

const MAX_LENGTH = 16_384;

/** A value of the head: text, a list or a map of texts. */
export type Field = string | readonly string[] | ReadonlyMap<string, string>;

export type Frontmatter =
  | { readonly fields: ReadonlyMap<string, Field>; readonly body: string }
  | { readonly problem: string };

/**
 * Splits a `SKILL.md` and reads its YAML. Every scalar is text as it is written (`1.0` stays `1.0`). Anchors, aliases, tags and anything deeper than a
 * list or map of texts are refused.
 */
export async function readFrontmatter(content: string): Promise<Frontmatter> {
  const text = content.replace(/^\uFEFF/, '');
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) return { problem: 'SKILL.md must start with YAML frontmatter (---)' };
  const start = opening[0].length;
  const end = start + MAX_LENGTH + 8;
  const closing = /^---[ \t]*\r?$/m.exec(text.slice(start, end));
  if (closing === null)
    return {
      problem:
        text.length - start > MAX_LENGTH
          ? `SKILL.md frontmatter is not closed with --- within ${MAX_LENGTH} characters`
          : 'SKILL.md frontmatter is not properly closed with ---',
    };
  const body = text.slice(start + closing.index + closing[0].length).trim();
  try {
    return { fields: await readYaml(text.slice(start, start + closing.index)), body };
  } catch (error) {
    // A document of thousands of brackets ends in a RangeError of the parser.
    const reason = KernelError.is(error) ? error.message : 'Invalid YAML in frontmatter: it is nested too deeply';
    return { problem: reason };
  }
}

async function readYaml(source: string): Promise<ReadonlyMap<string, Field>> {
  if (/(?![\t\n\r])\p{Cc}/u.test(source)) throw toolError('Invalid YAML in frontmatter: it has control characters');
  if (/^(?:\.\.\.|%|--- )/m.test(source)) throw toolError('Invalid YAML in frontmatter: it must be one document');
  const { isMap, isScalar, isSeq, parseDocument } = await import('yaml');
  // The library would compare each key with all others.
  const options = { schema: 'failsafe', prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const;
  const document = parseDocument(source, options);
  const [flaw] = [...document.errors, ...document.warnings];
  if (flaw !== undefined) throw toolError(`Invalid YAML in frontmatter: ${flaw.message.split('\n')[0] ?? ''}`);
  if (!isMap(document.contents)) throw toolError('SKILL.md frontmatter must be a YAML mapping');

  const textOf = (node: unknown, where: string): string => {
    if (node === null || node === undefined) return '';
    if (!isScalar(node) || hasExtras(node))
      throw toolError(`Invalid YAML in frontmatter: ${where} must be text, without anchors, aliases and tags`);
    return typeof node.value === 'string' ? node.value : '';
  };
  const mapOf = (items: readonly Pair[], where: string): ReadonlyMap<string, string> => {
    const map = new Map(items.map(({ key, value }) => [textOf(key, `a key of ${where}`), textOf(value, where)]));
    if (map.size < items.length) throw toolError(`Invalid YAML in frontmatter: ${where} has a key twice`);
    return map;
  };

  const fields = new Map<string, Field>();
  if (hasExtras(document.contents)) throw toolError('Invalid YAML in frontmatter: it has an anchor or a tag');
  for (const { key, value } of document.contents.items) {
    const name = textOf(key, 'a key');
    if (fields.has(name)) throw toolError(`Invalid YAML in frontmatter: it has the key '${name}' twice`);
    const where = `the value of '${name}'`;
    if ((isMap(value) || isSeq(value)) && hasExtras(value))
      throw toolError(`Invalid YAML in frontmatter: ${where} has an anchor or a tag`);
    if (isMap(value)) fields.set(name, mapOf(value.items, where));
    else if (isSeq(value))
      fields.set(
        name,
        value.items.map((item) => textOf(item, where)),
      );
    else fields.set(name, textOf(value, where));
  }
  return fields;
}

function hasExtras(node: Node & { readonly anchor?: string | undefined }): boolean {
  return node.anchor !== undefined || node.tag !== undefined;
}
