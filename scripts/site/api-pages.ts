/** Writes the API reference from the built declarations into a folder: a page for each entry point of each published package, and an index. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Application,
  Comment,
  DeclarationReflection,
  LiteralType,
  type ProjectReflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { apiPageOf } from '../lib/api-pages.ts';
import { declarationEntries, publishedFolders, readManifest } from '../lib/projects.ts';

const root = join(import.meta.dirname, '../..');
const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('No output folder given. Run: pnpm run docs');

/** An entry point of a package. */
interface Entry {
  readonly folder: string;
  /** What a user imports. */
  readonly specifier: string;
  /** The page, without `.md`. */
  readonly page: string;
  /** Its declarations, and the source they map to. */
  readonly file: string;
  readonly source: string;
}

const entries = publishedFolders(root).flatMap((folder): readonly Entry[] => {
  const { name, exports = {} } = readManifest(root, folder);
  return [...declarationEntries(root, folder)].map(([subpath, file]) => ({
    folder,
    specifier: name + subpath.slice(1),
    page: apiPageOf(folder, subpath),
    file,
    source: join(root, folder, (exports[subpath] as Record<string, string>)['@kernel/source'] ?? ''),
  }));
});

const markdown: Partial<PluginOptions> = {
  outputFileStrategy: 'modules',
  entryFileName: 'README',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  useHTMLAnchors: false,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  enumMembersFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideDefaults: true },
  pageTitleTemplates: {
    module: ({ name }) => entries.find(({ page }) => page === name)?.specifier ?? name,
  },
};
const options: TypeDocOptions = {
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: entries.map(({ file }) => file),
  tsconfig: join(import.meta.dirname, 'tsconfig.declarations.json'),
  out,
  readme: 'none',
  logLevel: 'Warn',
  disableSources: true,
  excludeExternals: true,
  cleanOutputDir: true,
  githubPages: false,
  treatWarningsAsErrors: true,
};

const app = await Application.bootstrapWithPlugins({ ...options, ...markdown });
const project = await app.convert();
if (project === undefined) throw new Error('TypeDoc cannot read the declarations. Run: pnpm build');
const modules: readonly DeclarationReflection[] = project.children ?? [];
for (const module of modules) {
  const source = project.getSymbolIdFromReflection(module)?.fileName;
  const entry = entries.find((each) => each.source === source || each.file === source);
  if (entry === undefined) throw new Error(`TypeDoc found an entry point that is in no manifest: ${module.name}.`);
  module.name = entry.page;
}
if (modules.length !== entries.length)
  throw new Error(`Only ${modules.length} of ${entries.length} entry points have a page.`);
describeDiscriminants(project);
await app.generateOutputs(project);
tidyPages(entries.map(({ page }) => join(out, `${page}.md`)));
writeFileSync(join(out, 'README.md'), index());

/** Describes the string literals that discriminate a union, which need no docstring, in tables that describe other members. */
function describeDiscriminants(from: ProjectReflection): void {
  for (const member of from.getReflectionsByKind(ReflectionKind.Property)) {
    if (!(member instanceof DeclarationReflection && member.parent instanceof DeclarationReflection)) continue;
    const { type, parent } = member;
    if (!(type instanceof LiteralType) || typeof type.value !== 'string') continue;
    if (parent.children?.some((each) => each.hasComment()) !== true) continue;
    member.comment ??= new Comment([{ kind: 'text', text: `Always \`${type.value}\`.` }]);
  }
}

/** Adds a note on where the pages come from, and removes unused anchors, the rules between exports, and dashes in place of descriptions of parameters. */
function tidyPages(files: readonly string[]): void {
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const linked = new Set(
    [...texts.values()].flatMap((text) => [...text.matchAll(/\]\([^)\s]*#([^)\s]+)\)/g)].map(([, id]) => id)),
  );
  for (const [file, text] of texts) {
    const tidied = text
      .replaceAll(/<a id="([^"]*)"><\/a> /g, (anchor, id: string) => (linked.has(id) ? anchor : ''))
      .replaceAll(/^\*\*\*\n\n/gm, '')
      .replaceAll(/^\| Parameter \|(?:.*\n)+?\n/gm, (table) => table.replaceAll(/ - \|$/gm, ' |'));
    writeFileSync(file, `<!-- Made from the docstrings by \`pnpm run docs\`. -->\n\n${tidied.trimEnd()}\n`);
  }
}

function index(): string {
  const lines = ['<!-- Made from the manifests by `pnpm run docs`. -->', '', '# API reference', ''];
  lines.push(
    'Every export of every entry point, from the docstrings. A type that several entry points export is on one page.',
    '',
  );
  for (const folder of publishedFolders(root)) {
    const own = entries.filter((entry) => entry.folder === folder);
    if (own.length === 0) continue;
    const { name, description = '' } = readManifest(root, folder) as { name: string; description?: string };
    lines.push(`## ${name}`, '', description, '');
    for (const { specifier, page } of own) lines.push(`- [\`${specifier}\`](${page}.md)`);
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
