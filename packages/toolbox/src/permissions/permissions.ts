import { checkChoice, checkFunctions, checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import { posix } from 'node:path';
import { mayLeaveFolder } from '../commands/analysis/leaves-folder.ts';
import { mayHoldCredentials } from '../workspace/credential-names.ts';
import { compileRule, type CompiledRule, RUN_COMMAND } from './compile-rules.ts';
import { decideCall } from './decide-call.ts';
import { readCommand } from './decide-command.ts';
import { describeRefusal, decideText } from './decide-text.ts';
import { isKnownTool, subjectsOf } from './known-tools.ts';
import { createLinks } from './links.ts';
import { toRulePath } from './match-text.ts';
import { readTexts } from './read-texts.ts';
import type {
  PermissionAnswer,
  PermissionResult,
  PermissionOptions,
  PermissionRequest,
  PermissionRule,
  Permissions,
} from './types.ts';

const KEYS = optionKeys<PermissionOptions>({ default: true, ask: true, root: true, subjects: true });
const WRITE_FILE = 'write_file';
const READ_FILE = 'read_file';

/**
 * Creates one policy from rules: `{ allow }`, `{ ask }` and `{ deny }` of the form `TOOL(pattern)`.
 *
 * A deny rule takes precedence over an ask rule, and an ask rule over an allow rule; their order does not matter. A call is allowed if allow rules
 * cover every text that rules are matched against; a call that no rule matches leads to a question (`default`).
 *
 * Patterns: for files, a glob over paths relative to `root` (`src/**`); for addresses, `https://*.example.com/**`,
 * matched part by part; for `run_command`, words with `|` between alternatives and a `*` at the end for any further
 * words (`git status|diff|log *`). Every program that a command runs must be covered, and each file that its shell
 * opens. A wildcard covers arguments only of programs that are known to run and change nothing with them. A command
 * that cannot be parsed leads to a question. Deny and ask rules are matched broadly. The guide "Permissions and
 * isolation" says it in full. Rules do not replace a workspace and an isolation, which apply whatever a program is
 * called.
 *
 * Throws `CONFIG_INVALID` for an invalid rule.
 *
 * @example
 * ```ts
 * import { permissions } from '@kernel/toolbox/permissions';
 *
 * const policy = permissions([{ allow: 'read_file' }, { allow: 'run_command(git status *)' }, { deny: 'delete' }], {
 *   ask: ({ call }) => ({ decision: 'deny', reason: `Nobody is here to allow ${call.name}.` }),
 * });
 * // run({ …, tools: withPermissions(tools, policy), approve: policy.approve })
 * ```
 */
export function permissions(rules: readonly PermissionRule[], options: PermissionOptions = {}): Permissions {
  checkKeys('permissions', options, KEYS);
  checkChoice('permissions', 'default', options.default, ['allow', 'ask', 'deny']);
  checkFunctions('permissions', { ask: options.ask });
  const { default: fallback = 'ask', ask, root, subjects } = options;
  if (!Array.isArray(rules))
    throw new KernelError('CONFIG_INVALID', 'permissions takes an array of rules.', {
      hint: 'Pass permissions([{ "allow": "read_file" }], { … }).',
    });
  const isKnown = (toolName: string): boolean => isKnownTool(toolName, subjects);
  const compile = (rule: PermissionRule): CompiledRule => compileRule(rule, root, isKnown);
  const compiled = rules.map(compile);

  // No workspace holds a shell: outside of the root, a rule has to name the file, and none can name what is behind a link.
  const mayOpen = (known: readonly CompiledRule[], access: 'read' | 'write', path: string): boolean => {
    const tool = access === 'write' ? WRITE_FILE : READ_FILE;
    const ruled = toRulePath(path, root);
    const isOutside = mayLeaveFolder(ruled);
    if (!isOutside && (root === undefined ? mayHoldCredentials(ruled) : createLinks(root).leadOut(ruled))) return false;
    const { verdict, rule } = decideBy(known, tool, { path });
    if (access === 'read' && !isOutside && rule === undefined) return true;
    const isNamed = (each: CompiledRule): boolean =>
      each.verdict === 'allow' && each.matchesTool(tool) && each.texts?.covers(path) === true;
    return verdict === 'allow' && (!isOutside || known.some(isNamed));
  };

  const decideBy = (
    known: readonly CompiledRule[],
    toolName: string,
    input: Readonly<Record<string, unknown>>,
  ): PermissionResult => {
    const { command, cwd, input: fed = '' } = input;
    const isCommand =
      toolName === RUN_COMMAND && Array.isArray(command) && command.every((word) => typeof word === 'string');
    const call = isCommand
      ? readCommand({
          command,
          toolName,
          folder: typeof cwd === 'string' ? folderOf(cwd, root) : '.',
          isFed: fed !== '',
          root,
          mayOpen: (access, path) => mayOpen(known, access, path),
        })
      : readTexts(toolName, subjectsOf(toolName, input, subjects), root);
    return decideCall(
      known.filter((rule) => rule.matchesTool(toolName)),
      call,
      fallback,
    );
  };

  const decide: Permissions['decide'] = (toolName, input) => {
    const decision = decideBy(compiled, toolName, input);
    const { suggestion, ...rest } = decision;
    if (suggestion === undefined) return decision;
    try {
      // Not every text can be written as a pattern, and one rule may not be enough.
      const { verdict } = decideBy([...compiled, compile(suggestion)], toolName, input);
      return verdict === 'allow' ? decision : rest;
    } catch (error) {
      if (!KernelError.is(error, 'CONFIG_INVALID')) throw error;
      return rest;
    }
  };

  const approve = async (request: PermissionRequest): Promise<PermissionAnswer> => {
    const decision = decideText(decide, request.call);
    if (decision.verdict === 'allow') return { decision: 'allow' };
    if (decision.verdict === 'ask' && ask !== undefined) return ask(request, decision);
    return { decision: 'deny', reason: describeRefusal(decision) };
  };

  const closedFiles: Permissions['closedFiles'] = (toolName, input) => {
    const about = compiled.filter(
      (rule) =>
        rule.verdict !== 'allow' &&
        rule.texts !== undefined &&
        (rule.matchesTool(toolName) || rule.matchesTool(READ_FILE)),
    );
    // A decision may start Git, and counts only where a rule asks.
    const isAsked = (): boolean => {
      const { rule, verdict } = decideBy(compiled, toolName, input);
      return verdict === 'ask' && rule !== undefined;
    };
    const asking = about.some(({ verdict }) => verdict === 'ask') && !isAsked();
    const closing = about.filter(({ verdict }) => verdict === 'deny' || asking);
    return closing.length === 0 ? undefined : (path) => closing.some(({ texts }) => texts?.concerns(path) === true);
  };

  return {
    decide,
    closedFiles,
    approve,
    remember: (rule) => void compiled.push(compile(rule)),
    rules: () => compiled.map(({ rule }) => rule),
  };
}

/** A folder as the workspace takes it: outside of Windows, a `\` is a character of its name. */
function folderOf(cwd: string, root: string | undefined): string {
  const isName = process.platform !== 'win32' && cwd.includes('\\');
  return isName ? posix.normalize(cwd) : toRulePath(cwd, root);
}
