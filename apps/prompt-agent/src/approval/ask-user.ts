import { errorMessage, INVISIBLE, sliceHead, visible } from '@kernel/internal';
import { duplicateKeys, type ToolCall } from '@kernel/protocol';
import type { AskPermission, PermissionAnswer, PermissionResult, PermissionRule } from '@kernel/toolbox/permissions';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { colouredChange, isWholeChange } from '../output/terminal/changes.ts';
import { withoutCode } from '../output/terminal/notes.ts';
import { span } from '../output/terminal/spans.ts';
import type { Terminal } from '../questions/ask.ts';
import { parseJsonMembers } from '../questions/json-text.ts';
import { askAbout, isYes, type Question } from '../questions/question.ts';
import { type CommandSetting, NOT_ISOLATED, showCall, type ToolOrigin, withOrigin } from '../questions/show-call.ts';
import type { ApprovalScope, ChangePreview } from './approval-scope.ts';

/** What a model reads of a call that the user did not allow. */
const NO_BY_USER = 'The user said no.';

const MAX_RULE = 200;

/**
 * Creates the question about a call that may change something, asked on stderr, one call after another, with the diff of an edit or all arguments. `y` allows the call, `s` and
 * `a` also those that a rule like it covers, in this session or always; `e` lets the arguments be edited; anything else is no, and a sentence is
 * the reason that the model reads. Enter alone is not an answer: the question is asked again. What was typed before the question does not count.
 */
export function createAskUser(terminal: Terminal, output: Output, scope: ApprovalScope): AskPermission {
  let turn: Promise<unknown> = Promise.resolve();
  return ({ call, signal }, decision) => {
    const offered = offeredRule(decision);
    const answer = turn.then(() => askUser(terminal, output, scope, { call, offered, signal }));
    turn = answer.catch(() => undefined);
    return answer;
  };
}

/** The rule that an answer may add. A rule that asks is stronger than any that allows, and one that is longer than the screen is not read. */
export function offeredRule({ rule, suggestion }: PermissionResult): { readonly allow: string } | undefined {
  const isOffered = rule === undefined && suggestion !== undefined && 'allow' in suggestion;
  return isOffered && suggestion.allow.length <= MAX_RULE ? suggestion : undefined;
}

interface Asked {
  readonly call: ToolCall;
  readonly offered: { readonly allow: string } | undefined;
  readonly signal: AbortSignal;
}

async function askUser(
  terminal: Terminal,
  output: Output,
  scope: ApprovalScope,
  { call, offered, signal }: Asked,
): Promise<PermissionAnswer> {
  const { preview, commands, origin } = scope;
  const question = [
    ...(offered === undefined
      ? ['y once · e edit the arguments · n, or why not']
      : [
          'y once · s this session · a always · e edit the arguments · n, or why not',
          `s and a allow: ${visible(offered.allow)}`,
        ]),
    'Run it? It may change something. [y/N]',
  ];
  const lines = showChange(call, await preview?.(call, signal), await commands?.(), origin?.(call.name));
  let answer = await askAbout(terminal, output, { lines, question }, signal);
  while (answer?.trim() === '') {
    const again = ['Enter alone is not an answer. Type y or n.', ...question.slice(0, -1), 'Run it? [y/N]'];
    // oxlint-disable-next-line no-await-in-loop -- until there is an answer
    answer = await askAbout(terminal, output, { lines: [], question: again }, signal);
  }
  const word = answer?.trim() ?? '';
  if (isYes(word)) return { decision: 'allow' };
  if (offered !== undefined && /^(?:s|session|a|always)$/i.test(word)) {
    await addRule(offered, scope, output, /^a/i.test(word));
    return { decision: 'allow' };
  }
  if (/^e(?:dit)?$/i.test(word)) return editArguments(terminal, output, call, signal);
  return denial(word);
}

/** What an answer that allows nothing says to the model: that it is no, or why not. */
export function denial(word: string): { readonly decision: 'deny'; readonly reason: string } {
  if (word === '' || /^no?$/i.test(word)) return { decision: 'deny', reason: NO_BY_USER };
  return { decision: 'deny', reason: `${NO_BY_USER} The user says: ${sliceHead(word, 2000)}` };
}

/** The diff of a call where it says all that the call does; otherwise also the arguments, so that nothing is approved unseen. */
function showChange(
  call: ToolCall,
  preview: ChangePreview | undefined,
  commands: CommandSetting | undefined,
  origin: ToolOrigin | undefined,
): Question['lines'] {
  const whole = showWhole(call, commands, origin);
  if (preview === undefined) return whole;
  if ('failure' in preview)
    return [...whole, `As things are now it would fail: ${oneLine(withoutCode(preview.failure), 200)}`];
  const diff = colouredChange(preview.diff);
  return isWholeChange(preview.diff) && duplicateKeys(call.arguments).length === 0
    ? [visible(call.name), ...diff]
    : [...whole, 'What it changes:', ...diff];
}

/** Shows a call with all its arguments, how a command of it is isolated, and whose tool it is. */
export function showWhole(
  { name, arguments: json }: ToolCall,
  commands: CommandSetting | undefined,
  origin: ToolOrigin | undefined,
): Question['lines'] {
  return withOrigin(showCall(name, json, commands), origin).map((line) =>
    line === NOT_ISOLATED ? [span(line, 'red')] : line,
  );
}

/** Adds a rule for the rest of this process, or for always. Where that fails it is said so, and what the user allowed runs all the same. */
export async function addRule(
  rule: PermissionRule,
  { remember, userRules }: Pick<ApprovalScope, 'remember' | 'userRules'>,
  output: Output,
  isForAlways: boolean,
): Promise<void> {
  if (remembers(rule, remember, output) && isForAlways) await keep(rule, userRules, output);
}

/** Adds a rule, and says whether that worked. */
function remembers(rule: PermissionRule, remember: ApprovalScope['remember'], output: Output): boolean {
  try {
    remember(rule);
    return true;
  } catch (error) {
    output.alert(`warning: this call alone is allowed, because the rule cannot be used: ${errorMessage(error)}`);
    return false;
  }
}

/** Keeps a rule. Where that fails the call runs all the same, and the rule holds for this process. */
async function keep(rule: PermissionRule, userRules: ApprovalScope['userRules'], output: Output): Promise<void> {
  try {
    await userRules.add(rule);
    output.note(`kept in ${visible(userRules.path)}`);
  } catch (error) {
    const why = errorMessage(error);
    output.alert(`warning: the rule holds for this session alone, because it cannot be kept: ${why}`);
  }
}

async function editArguments(
  terminal: Terminal,
  output: Output,
  call: ToolCall,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  let draft = oneLineJson(call.arguments);
  for (;;) {
    const question = [`The arguments of ${visible(call.name)}, as JSON; Enter runs it, an empty line means no:`];
    // oxlint-disable-next-line no-await-in-loop -- asked again only when the last answer was not JSON
    const edited = (await askAbout(terminal, output, { lines: [], question, draft }, signal))?.trim() ?? '';
    if (edited === '') return { decision: 'deny', reason: NO_BY_USER };
    if (parseJsonMembers(edited) !== undefined) return { decision: 'edit', arguments: edited };
    output.alert('This is not a JSON object.');
    draft = edited;
  }
}

/** JSON text on one line; characters that would not show are written as `\u200b`. */
function oneLineJson(json: string): string {
  return json
    .replaceAll(/[\r\n\t]/g, ' ')
    .replaceAll(INVISIBLE, (character) =>
      [...Array(character.length).keys()]
        .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
        .join(''),
    );
}
