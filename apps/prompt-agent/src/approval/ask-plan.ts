import { visible } from '@kernel/internal';
import { approvePlans, type PlanDecision, type ProgramPlan } from '@kernel/code-mode';
import type { AskPermission, PermissionResult } from '@kernel/toolbox/permissions';
import type { Output } from '../output/output.ts';
import type { Terminal } from '../questions/ask.ts';
import { denial, showWhole } from './ask-user.ts';
import { askAbout, isYes } from '../questions/question.ts';
import type { ApprovalScope } from './approval-scope.ts';

/** Asks about the calls that a program makes at once as one plan, which shows each of them whole; about any other call as `askUser` does. */
export function askPlans(
  askUser: AskPermission,
  terminal: Terminal,
  output: Output,
  scope: Pick<ApprovalScope, 'commands' | 'origin'>,
): AskPermission {
  /** What the rules say of the calls that are asked about. */
  const known = new WeakMap<object, PermissionResult>();
  const ask = approvePlans(
    (request) => askUser(request, known.get(request) ?? { verdict: 'ask', reason: 'No rule allows it.' }),
    (plan) => askPlan(plan, terminal, output, scope),
  );
  return (request, decision) => {
    const asked = { digest: '', ...request, path: request.path ?? [] };
    known.set(asked, decision);
    return ask(asked);
  };
}

async function askPlan(
  { requests, summary, signal }: ProgramPlan,
  terminal: Terminal,
  output: Output,
  { commands, origin }: Pick<ApprovalScope, 'commands' | 'origin'>,
): Promise<PlanDecision> {
  const setting = await commands?.();
  const lines = requests.flatMap(({ call }) => showWhole(call, setting, origin?.(call.name)));
  const question = [
    'y all of them · e one after another · n, or why not',
    `This program wants to make ${requests.length} calls: ${visible(summary)}. Run them? [y/N]`,
  ];
  let answer = await askAbout(terminal, output, { lines, question }, signal);
  // oxlint-disable-next-line no-await-in-loop -- until there is an answer
  while (answer?.trim() === '') answer = await askAbout(terminal, output, { lines: [], question }, signal);
  const word = answer?.trim() ?? '';
  if (isYes(word)) return { decision: 'allow' };
  if (/^e(?:ach)?$/i.test(word)) return { decision: 'each' };
  return denial(word);
}
