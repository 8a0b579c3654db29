/** The only file that knows TypeScript's unstable API. */
import { resolve } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isMethodSignatureDeclaration,
  isPropertyAccessExpression,
  isPropertySignatureDeclaration,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isUnionTypeNode,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type Project,
  type Symbol as TsSymbol,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync';

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
  /** Paths of the members without a doc comment: of an interface, and of object types in it, in a type alias or in a function. Without literals that discriminate a union. */
  readonly undocumented: readonly string[];
}

/** A call of a method of a string. */
export interface TextCall {
  readonly line: number;
  readonly method: string;
  /** What it is called on, as written. */
  readonly receiver: string;
  /** Its arguments, as written. */
  readonly arguments: readonly string[];
}

/** Opens the project of a tsconfig and hands a reader of its modules' exports to `use`. */
export function withProject<T>(tsconfig: string, use: (exportsOf: (file: string) => readonly ExportedName[]) => T): T {
  return openProject(tsconfig, (project) => use((file) => exportsOf(project, resolve(file))));
}

/** Opens the project of a tsconfig and hands a function to `use` that returns those calls of methods of strings in a file that `isWanted` accepts. */
export function withTextCalls<T>(
  tsconfig: string,
  isWanted: (call: TextCall) => boolean,
  use: (textCalls: (file: string) => readonly TextCall[]) => T,
): T {
  return openProject(tsconfig, (project) => use((file) => textCallsIn(project, resolve(file), isWanted)));
}

function openProject<T>(tsconfig: string, use: (project: Project) => T): T {
  const api = new API({ cwd: process.cwd() });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [resolve(tsconfig)] });
    const project = snapshot.getProjects().at(0);
    if (project === undefined) throw new Error(`TypeScript opened no project for ${tsconfig}.`);
    return use(project);
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

function textCallsIn(
  { checker, program }: Project,
  file: string,
  isWanted: (call: TextCall) => boolean,
): readonly TextCall[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not part of the project.`);
  const found: { readonly receiver: Node; readonly call: TextCall }[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      const given = node.arguments.map((each) => each.getText());
      const line = source.text.slice(0, name.end).split('\n').length;
      const call = { line, method: name.text, receiver: receiver.getText(), arguments: given };
      if (isWanted(call)) found.push({ receiver, call });
    }
    node.forEachChild((child) => visit(child));
  };
  visit(source);
  if (found.length === 0) return [];
  const types = checker.getTypeAtLocation(found.map(({ receiver }) => receiver));
  return found.filter((_, index) => isText(types[index])).map(({ call }) => call);
}

function isText(type: Type | undefined): boolean {
  if (type === undefined) return false;
  return type.isUnionType() ? type.getTypes().some(isText) : (type.flags & TypeFlags.StringLike) !== 0;
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
  const { checker } = project;
  if ((symbol.flags & (SymbolFlags.TypeAlias | SymbolFlags.Function)) !== 0)
    return symbol.declarations.flatMap((handle) => {
      const node = handle.resolve(project);
      return node === undefined || isForeign(node) ? [] : silentIn(node, isTypeAliasDeclaration(node));
    });
  if ((symbol.flags & SymbolFlags.Interface) === 0) return [];
  return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).flatMap((member) => {
    const node = member.declarations[0]?.resolve(project);
    if (node === undefined || isForeign(node)) return [];
    const isSilent = checker.getDocumentationCommentOfSymbol(member) === '' && !isDiscriminant(node);
    return [...(isSilent ? [member.name] : []), ...silentIn(node, false).map((name) => `${member.name}.${name}`)];
  });
}

/** The members of the object types in a declaration, at any depth, without a doc comment. A variant of a type alias may have none: then its own comment describes it. */
function silentIn(node: Node, isAlias: boolean): readonly string[] {
  const names: string[] = [];
  node.forEachChild((child) => {
    if (isAlias && isTypeLiteralNode(child) && isUnionTypeNode(child.parent) && !hasDocumentedMember(child)) return;
    const inner = silentIn(child, isAlias);
    if (!isPropertySignatureDeclaration(child) && !isMethodSignatureDeclaration(child))
      return void names.push(...inner);
    const name = child.name.getText();
    if (child.jsDoc === undefined && !isDiscriminant(child)) names.push(name);
    names.push(...inner.map((each) => `${name}.${each}`));
  });
  return names;
}

function hasDocumentedMember(node: Node): boolean {
  return node.forEachChild((member) => member.jsDoc !== undefined) === true;
}

/** Whether a member is a required string literal, which discriminates a union and says all there is to say. */
function isDiscriminant(node: Node): boolean {
  return /^(?:readonly )?\w+: '[^']*';?$/.test(node.getText());
}

function isForeign(node: Node): boolean {
  return node.getSourceFile().fileName.includes('/node_modules/');
}
