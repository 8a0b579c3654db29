import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import {
  type Around,
  type SyntaxNode,
  isFunction,
  nameOf,
  nodeAt,
  nodesAt,
  parseModule,
  textOf,
  valueOf,
  walkSyntax,
} from '../lib/syntax.ts';

/** Functions that start the program that they are given: their modules, and the number of that argument. Their callers are checked like those of `spawn`. */
const WRAPPERS: Readonly<Record<string, { readonly module: RegExp; readonly argument: number }>> = {
  runProgram: { module: /\/run-program\.ts$/, argument: 0 },
  run: { module: /\/shell\.ts$/, argument: 1 },
};
/** What `node:child_process` exports to start a program by its path. `exec` and `execSync` start a shell. */
const STARTERS: ReadonlySet<string> = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']);
/** Functions that return the path of a program of the system, or nothing. */
const FINDERS: ReadonlySet<string> = new Set(['findProgram', 'findOnPath', 'requireProgram', 'systemProgram']);
/** What a module that starts a program has in its text; the others are not parsed. */
const MENTIONED =
  /child_|_process|run-program|shell\.ts|\bprogram:|Deno|Bun|execa|spawn|tinyexec|zx|shelljs|foreground-child|node-pty/;
/** Packages that look programs up by their names. */
const OTHERS = /^(?:execa|cross-spawn|tinyexec|nano-spawn|zx|shelljs|foreground-child|node-pty)$/;

const MADE_FOR_START = 'it comes from a function that takes what findProgram or findOnPath found';
/** Arguments that are paths although their text does not show it, and what users wrote in a config, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/toolbox/src/commands/process/start-process.ts': {
    program: `${MADE_FOR_START}, or from an isolation that a program brought along`,
    'stopper.program': MADE_FOR_START,
  },
  'packages/toolbox/src/commands/command-tools.ts': {
    "resolveProgram(program, request, options.setVariables?.['PATH'] !== undefined)": MADE_FOR_START,
    program: 'what a model wrote, for a terminal whose owner decides on it and looks it up',
  },
  'packages/toolbox/src/commands/isolation/system-folders.ts': { name: 'of the program that an error says is missing' },
  'packages/toolbox/src/files/search/ripgrep.ts': {
    program: 'an absolute path from the options, or what findProgram found',
  },
  'packages/acp/src/agent/agent-process.ts': {
    program: 'what a user wrote as command: its path, or what findOnPath found by its name',
  },
  'packages/mcp/src/client/transport/server-process.ts': {
    commandLine: 'what a user wrote in a config as command: its path, or what findOnPath found by its name',
  },
  'apps/prompt-agent/src/credentials/run-program.ts': { program: 'of its callers, which are checked' },
  'apps/prompt-agent/src/credentials/token-of-flags.ts': {
    path: 'what a user wrote as command: its path, or what findOnPath found by its name',
  },
  'scripts/lib/tarballs.ts': {
    "'pnpm'": 'npx and corepack, which start our scripts, put it on the PATH',
    command: 'of pnpmCommand',
  },
  'scripts/version-packages.ts': { command: 'of pnpmCommand' },
  'scripts/release/prepare-copy.ts': { command: 'of pnpmCommand' },
  'scripts/release/shell.ts': { 'promisify(execFile)': 'its callers are checked' },
  'scripts/release/check-package.ts': { 'node.path': 'a Node of the rehearsal' },
  'scripts/release/check-together.ts': { 'node.path': 'a Node of the rehearsal' },
  'scripts/release/bundle-readme.ts': { 'node.path': 'a Node of the rehearsal' },
};

/**
 * Programs: what starts one names it by an absolute path, as `process.execPath` or as what `findProgram` found. A bare
 * name is looked up on `PATH`, and on Windows in the current folder, where a repository may have such a program.
 * What packages start gets its variables from `childVariables`. Tests may start what they like.
 */
export const programs: Rule = (root) =>
  [
    ...globSync(['{packages,apps}/*/src/**/*.{ts,js,mts,mjs}', 'scripts/**/*.{ts,js,mts,mjs}'], {
      cwd: root,
      exclude: (name) => name === 'node_modules' || name === 'test' || name === 'dist',
    }).filter((file) => !/(?:^|[\\/])(?:node_modules|test|dist)[\\/]/.test(file)),
    // Not tests, but programs that developers start.
    ...globSync('test/mutation/*.{ts,js,mts,mjs}', { cwd: root }),
  ]
    .map((file) => file.split(sep).join('/'))
    .toSorted()
    .flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const text = readFileSync(join(root, file), 'utf8');
  const allowed = new Map(Object.entries(EXCEPTIONS[file] ?? {}));
  const unused = new Set(allowed.keys());
  const problems: Problem[] = [];
  if (allowed.size === 0 && !MENTIONED.test(text)) return problems;
  const report = ({ start }: SyntaxNode, message: string): void =>
    void problems.push({ rule: 'programs', file, line: text.slice(0, start).split('\n').length, message });
  const textAt = ({ start, end }: SyntaxNode): string => text.slice(start, end);
  const isAllowed = (node: SyntaxNode): boolean => {
    unused.delete(textAt(node));
    return allowed.has(textAt(node));
  };
  const check = (program: SyntaxNode | undefined, around: Around, at: SyntaxNode): void => {
    if (program !== undefined && (isPath(program, around) || isAllowed(program))) return;
    const what = program === undefined ? 'nothing' : shorten(textAt(program));
    report(at, `starts ${what}: pass an absolute path, process.execPath or what findProgram found.`);
  };

  const module = parseModule(text);
  const starters = starterNames(module, report);
  const isIsolation = file.startsWith('packages/toolbox/src/commands/');
  walkSyntax(module, (node, around) => {
    const call = around[0];
    const number = starters.get(nameOf(node) ?? '');
    if (number !== undefined && !isDeclared(node, around)) {
      if (call?.type === 'CallExpression' && nodeAt(call, 'callee') === node) {
        const [given, before] = [nodesAt(call, 'arguments'), problems.length];
        check(given[number], around, call);
        for (const option of given.slice(number + 1)) checkOptions(option, around);
        const isOurs =
          problems.length === before &&
          /^(?:packages|apps)\//.test(file) &&
          !Object.hasOwn(WRAPPERS, nameOf(node) ?? '');
        if (isOurs && !given.some((option) => /\benv: childVariables\(/.test(textAt(option))))
          report(call, 'starts a program in another environment than "env: childVariables(…)".');
      } else {
        const passedTo = call?.type === 'CallExpression' ? call : node;
        if (!isAllowed(passedTo))
          report(node, `passes "${nameOf(node)}" on, so that nothing shows which program it starts.`);
      }
    }
    // What `start-process.ts` gets.
    if (
      isIsolation &&
      node.type === 'Property' &&
      call?.type === 'ObjectExpression' &&
      nameOf(nodeAt(node, 'key')) === 'program'
    )
      check(nodeAt(node, 'value'), around, node);
    if (node.type === 'MemberExpression' && /^(?:Deno\.Command|Bun\.(?:spawn|spawnSync|\$))$/.test(textAt(node)))
      report(node, `starts programs by ${textAt(node)}, which this rule does not read: use node:child_process.`);
    const isSource = call?.type === 'ImportDeclaration' || call?.type === 'ExportNamedDeclaration';
    const loaded = textOf(node) ?? '';
    if (OTHERS.test(loaded) && (isSource || call?.type === 'ImportExpression'))
      report(node, `loads ${loaded}, which looks programs up by their names.`);
    const isWhole = call?.type !== 'BinaryExpression';
    if (/^(?:node:)?child_process$/.test(loaded) && isWhole && call?.type !== 'ImportDeclaration')
      report(node, 'loads node:child_process otherwise than by a plain import of names, which this rule reads.');
  });
  for (const argument of unused) report(module, `does not start ${argument} any more: remove the exception.`);
  return problems;

  function checkOptions(option: SyntaxNode, around: Around): void {
    for (const property of nodesAt(valueOf(option, around), 'properties')) {
      const [name, value] = [nameOf(nodeAt(property, 'key')), nodeAt(property, 'value')];
      if (value === undefined || value['value'] === false) continue;
      if (name === 'shell' && !isPath(value, around))
        report(property, 'starts a shell by its bare name: pass its path as "shell".');
      if (name === 'execPath') check(value, around, property);
    }
  }
}

/** The functions of a module that start programs, by their names there, and which of their arguments is the program. */
function starterNames(
  module: SyntaxNode,
  report: (at: SyntaxNode, message: string) => void,
): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const statement of nodesAt(module, 'body')) {
    if (statement.type !== 'ImportDeclaration' || statement['importKind'] === 'type') continue;
    const source = textOf(nodeAt(statement, 'source')) ?? '';
    const isModule = /^(?:node:)?child_process$/.test(source);
    for (const specifier of nodesAt(statement, 'specifiers')) {
      if (specifier['importKind'] === 'type') continue;
      const [imported, local] = [nameOf(nodeAt(specifier, 'imported')), nameOf(nodeAt(specifier, 'local')) ?? ''];
      const wrapper = Object.hasOwn(WRAPPERS, imported ?? '') ? WRAPPERS[imported ?? ''] : undefined;
      if (wrapper?.module.test(source) === true) names.set(local, wrapper.argument);
      if (!isModule || /^[A-Z]/.test(imported ?? '')) continue;
      if (imported === undefined)
        report(specifier, 'imports node:child_process as a whole: import functions by their names.');
      else if (STARTERS.has(imported)) names.set(local, 0);
      else report(specifier, `imports "${imported}": only ${[...STARTERS].join(', ')}.`);
    }
  }
  return names;
}

/** Whether an identifier only declares or names something here, as in an import, a parameter, a type, a key, or a member of another object. */
function isDeclared(node: SyntaxNode, around: Around): boolean {
  const parent = around[0];
  if (parent === undefined || /^(?:Import|Export|TS)/.test(parent.type))
    return !/^TS(?:NonNull|As|Satisfies)/.test(parent?.type ?? '');
  if (isFunction(parent)) return nodeAt(parent, 'body') !== node;
  if (parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition') return nodeAt(parent, 'key') === node;
  if (parent.type === 'MemberExpression') return nodeAt(parent, 'property') === node && parent['computed'] !== true;
  if (parent.type === 'Property')
    return nodeAt(parent, 'key') === node && parent['shorthand'] !== true && parent['computed'] !== true;
  return parent.type === 'VariableDeclarator' && nodeAt(parent, 'id') === node;
}

/** Whether a value is the absolute path of a program, whatever happens while it is evaluated. */
function isPath(node: SyntaxNode, around: Around): boolean {
  const inner = nodeAt(node, 'expression') ?? nodeAt(node, 'argument');
  switch (node.type) {
    case 'Literal':
      // `env` looks up what it is given.
      return /^\/(?!usr\/bin\/env$|bin\/env$)./.test(textOf(node) ?? '');
    case 'AwaitExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return inner !== undefined && isPath(inner, around);
    case 'ConditionalExpression':
      return ['consequent', 'alternate'].every((field) => isPathAt(node, field, around));
    case 'LogicalExpression':
      return ['left', 'right'].every((field) => isPathAt(node, field, around));
    case 'MemberExpression':
      return nameOf(nodeAt(node, 'object')) === 'process' && nameOf(nodeAt(node, 'property')) === 'execPath';
    case 'CallExpression':
    case 'NewExpression':
      return isPathOfCall(node, around);
    case 'Identifier': {
      const value = valueOf(node, around);
      return value !== undefined && value !== node && isPath(value, around);
    }
    default:
      return false;
  }
}

function isPathAt(node: SyntaxNode, field: string, around: Around): boolean {
  const value = nodeAt(node, field);
  return value !== undefined && isPath(value, around);
}

/** A finder, a file of this repository, or the address of one. */
function isPathOfCall(node: SyntaxNode, around: Around): boolean {
  const [name = '', given] = [nameOf(nodeAt(node, 'callee')), nodesAt(node, 'arguments')];
  if (FINDERS.has(name)) return node.type === 'CallExpression';
  const [first, ...rest] = given;
  const isWithin = (part: SyntaxNode): boolean => !/^$|\.\./.test(textOf(part) ?? '');
  if (name === 'join') return nameOf(first) === 'root' && rest.every((part) => isWithin(part));
  if (name === 'URL') return textOf(first) !== undefined;
  return name === 'fileURLToPath' && first !== undefined && isPath(first, around);
}

function shorten(argument: string): string {
  return argument.length > 60 ? `${argument.slice(0, 57)}…` : argument;
}
