import { existsSync, globSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { anchorsOf } from '../lib/anchors.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';
import { readText } from '../lib/read-text.ts';

const MAP = 'ARCHITECTURE.md';

/**
 * Code map: `ARCHITECTURE.md` mentions every folder of sources, the README of each package mentions its own, and every relative link of a
 * document leads to something, an anchor to a heading.
 */
export const codeMap: Rule = (root) => {
  const problems: Problem[] = [];
  const read = (file: string): string => readText(root, file);
  for (const folder of sourceFolders(root)) {
    const [kind = '', name = '', ...inner] = folder.split('/');
    const readme = `${kind}/${name}/README.md`;
    if (!mentions(read(MAP), folder))
      problems.push({ rule: 'code-map', file: MAP, message: `does not mention ${folder}.` });
    if (inner.length === 2 && existsSync(join(root, readme)) && !mentions(read(readme), inner.join('/')))
      problems.push({ rule: 'code-map', file: readme, message: `does not mention ${inner.join('/')}.` });
  }
  for (const file of documents(root)) problems.push(...brokenLinks(root, file, read(file)));
  return problems;
};

/** Every folder that holds sources. */
function sourceFolders(root: string): readonly string[] {
  const folders = sourceFiles(root).map((file) => dirname(file).split(sep).join('/'));
  return [...new Set(folders)].toSorted();
}

/** Whether a text mentions a path as a whole: `src/tool-prompt` is not `src/tool`. */
function mentions(text: string, path: string): boolean {
  return new RegExp(`${path.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(text);
}

function documents(root: string): readonly string[] {
  const patterns = [
    '*.md',
    'docs/**/*.md',
    'packages/*/*.md',
    'apps/*/*.md',
    'bench/*.md',
    '{scripts,test}/*/README.md',
    'test/runtimes/binaries/README.md',
  ];
  return globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('CHANGELOG.md'));
}

/** Returns the links of a document whose file or heading does not exist. */
function brokenLinks(root: string, file: string, text: string): readonly Problem[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, (fence) => fence.replaceAll(/[^\n]/g, ' '));
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([whole, target = '', anchor], index, all): readonly Problem[] => {
      const path = target === '' ? join(root, file) : join(root, dirname(file), target);
      const line = prose.slice(0, all[index]?.index).split('\n').length;
      const problem = (message: string): readonly Problem[] => [{ rule: 'code-map', file, line, message }];
      if (!existsSync(path)) return problem(`links to ${target}, which does not exist.`);
      if (anchor === undefined || !path.endsWith('.md') || anchorsOf(path).has(anchor)) return [];
      return problem(`links to ${whole.slice(2, -1)}, where no heading has that name.`);
    },
  );
}
