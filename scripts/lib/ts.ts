/** The only file that knows TypeScript's unstable API. */
import { resolve } from 'node:path';
import { API, type Checker, type Project, type Symbol as TsSymbol, SymbolFlags } from 'typescript/unstable/sync';

/** One exported name of a module. */
export interface ExportedName {
  readonly name: string;
  /** Its declarations as TypeScript prints them. */
  readonly text: string;
  /** The file of its first declaration, absolute. */
  readonly file: string;
  /** The doc comment, empty where there is none. */
  readonly documentation: string;
  /** The comments before its declarations, as written. */
  readonly comments: string;
  /** The member names of every object type in its declared type: the type itself and each member of a union. */
  readonly shapes: readonly (readonly string[])[];
  /** The members of an interface without a doc comment, except the literals that discriminate a union. */
  readonly undocumented: readonly string[];
}

/** Opens the project of a tsconfig and hands a reader of its modules' exports to `use`. */
export function withProject<T>(tsconfig: string, use: (exportsOf: (file: string) => readonly ExportedName[]) => T): T {
  const api = new API({ cwd: process.cwd() });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [resolve(tsconfig)] });
    const project = snapshot.getProjects().at(0);
    if (project === undefined) throw new Error(`TypeScript opened no project for ${tsconfig}.`);
    return use((file) => exportsOf(project, resolve(file)));
  } finally {
    api.close();
  }
}

function exportsOf(project: Project, file: string): readonly ExportedName[] {
  const { checker, program } = project;
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not part of the project.`);
  const module = checker.getSymbolAtLocation(source);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
    const nodes = target.declarations.map((handle) => handle.resolve(project)).filter((node) => node !== undefined);
    return {
      name: symbol.name,
      text: nodes.map((node) => project.emitter.printNode(node)).join('\n'),
      file: nodes[0]?.getSourceFile().fileName ?? file,
      documentation: checker.getDocumentationCommentOfSymbol(target),
      comments: nodes.map((node) => leadingComments(node.getSourceFile().text, node.pos)).join('\n'),
      shapes: shapesOf(checker, target),
      undocumented: undocumentedOf(project, target),
    };
  });
}

function leadingComments(text: string, from: number): string {
  return /(?:\s*\/\*[\s\S]*?\*\/)*/y.exec(text.slice(from))?.[0] ?? '';
}

function shapesOf(checker: Checker, symbol: TsSymbol): readonly (readonly string[])[] {
  const isType = (symbol.flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Class)) !== 0;
  if (!isType) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const parts = type.isUnionType() ? type.getTypes() : [];
  return [type, ...parts].map((part) => checker.getPropertiesOfType(part).map((property) => property.name));
}

function undocumentedOf(project: Project, symbol: TsSymbol): readonly string[] {
  if ((symbol.flags & SymbolFlags.Interface) === 0) return [];
  const { checker, emitter } = project;
  const silent = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter((member) => checker.getDocumentationCommentOfSymbol(member) === '');
  return silent.flatMap((member) => {
    const node = member.declarations[0]?.resolve(project);
    const isForeign = node?.getSourceFile().fileName.includes('/node_modules/') ?? true;
    const isLiteral = node !== undefined && /^readonly \w+: '[^']*';?$/.test(emitter.printNode(node));
    return isForeign || isLiteral ? [] : [member.name];
  });
}
