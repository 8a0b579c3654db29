import type { Decision, Durable, LogEvent, OutcomeResolution, RecordedRun, WaitingCall } from '@kernel/durable';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { writeResult } from '../files/write-result.ts';
import { SHOWN } from '../options/flags.ts';
import { oneLine } from '../output/escape.ts';
import { ageOf, listText } from '../output/quantities.ts';
import { terminalWidth, writeColumns } from '../output/terminal/table.ts';
import { eventLine } from '../runs/event-line.ts';
import { requireRun, requireUnknown, requireWaiting } from '../runs/find-run.ts';
import { journalPath, openJournal } from '../runs/open-journal.ts';
import { callSummary, resultJson, runJson, runText, waitingJson } from '../runs/run-text.ts';
import { commandsOf } from '../sessions/transcript.ts';

/** Runs a command on the journal of `--journal`, else on that of the state folder, and closes it. */
async function withJournal({ flags, host }: CommandCall, work: (db: Durable) => Promise<number>): Promise<number> {
  const db = await openJournal(journalPath(flags, host));
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

function withRun(
  call: CommandCall,
  command: string,
  work: (db: Durable, run: RecordedRun) => Promise<number>,
): Promise<number> {
  return withJournal(call, async (db) => work(db, await requireRun(db, command, call.words[0])));
}

/** Reports what came of a command that changes a run: as JSON on stdout, else as a note. Returns the exit code, which tells whether it had an effect. */
function reportChange({ flags, output }: CommandCall, isDone: boolean, about: object, text: string): number {
  const exitCode = isDone ? EXIT.answer : EXIT.failed;
  if (flags.json === true) output.writeJson({ version: 1, ...about, isDone, exitCode });
  else if (isDone) output.note(text);
  else output.alert(`prompt-agent: ${text}`);
  return exitCode;
}

const MAX_NAMED = 3;

export function runsList(call: CommandCall): Promise<number> {
  const { flags, output } = call;
  const { limit = SHOWN } = flags;
  return withJournal(call, async (db) => {
    const found = await db.list({ limit: limit === 0 ? Number.MAX_SAFE_INTEGER : limit + 1 });
    const runs = limit === 0 ? found : found.slice(0, limit);
    const calls = Map.groupBy(await db.waiting(), ({ runId }) => runId);
    const waitingOf = (id: string): readonly WaitingCall[] => calls.get(id) ?? [];
    if (flags.json === true) {
      const listed = runs.map((run) => ({ ...runJson(run), waiting: waitingOf(run.id).map(waitingJson) }));
      output.writeJson({ version: 1, runs: listed });
      return EXIT.answer;
    }
    if (runs.length === 0) output.note('There are no runs yet.');
    else
      writeColumns(call, [
        { title: 'ID', cells: runs.map(({ id }) => id) },
        { title: 'AGENT', cells: runs.map(({ agent }) => agent), isFlexible: true },
        { title: 'STATUS', cells: runs.map(({ status }) => status) },
        { title: 'AGE', cells: runs.map(({ createdAt }) => ageOf(createdAt.getTime())) },
        { title: 'WAITING', cells: runs.map(({ id }) => namesOf(waitingOf(id))), isFlexible: true },
      ]);
    if (found.length > runs.length) output.note('There are more: --limit 0 shows all.');
    return EXIT.answer;
  });
}

function namesOf(calls: readonly WaitingCall[]): string {
  const names = calls.map(({ call, kind }) => call.name + (kind === 'unknown' ? ' (unknown)' : ''));
  return listText(names, MAX_NAMED);
}

/** Shows a run: its status, its answer or error, and its waiting calls; with `--html` everything that happened, as a page. */
export function runsShow(call: CommandCall): Promise<number> {
  const { flags, output } = call;
  if (flags.output !== undefined && flags.html !== true) throw usageError('--output needs --html.');
  return withRun(call, 'runs show', async (db, run) => {
    const waiting = await db.waiting(run.id);
    const input = await db.input(run.id);
    const commands = commandsOf(input?.input);
    if (flags.html === true) {
      const { runPage } = await import('../runs/run-page.ts');
      const events: LogEvent[] = [];
      for await (const event of db.events(run.id, { follow: false })) events.push(event);
      await writeResult(call, runPage({ run, messages: input?.messages ?? [], commands, events, waiting }));
    } else if (flags.json === true)
      output.writeJson({ version: 1, ...runJson(run), waiting: waiting.map(waitingJson), ...resultJson(run) });
    else {
      const { head, calls, end } = runText(run, waiting, { commands, columns: terminalWidth(call.host.stdout) });
      output.write(head);
      output.writeWhole(calls);
      output.write(end);
    }
    return EXIT.answer;
  });
}

export function runsApprove(call: CommandCall): Promise<number> {
  return decide(call, 'runs approve', { decision: 'allow' });
}

export function runsDeny(call: CommandCall): Promise<number> {
  const { reason = '' } = call.flags;
  if (reason.trim() === '') throw usageError('runs deny needs --reason TEXT, which the model reads.');
  return decide(call, 'runs deny', { decision: 'deny', reason });
}

function decide(call: CommandCall, command: string, decision: Decision): Promise<number> {
  return withRun(call, command, async (db, run) => {
    const { callId, call: waiting } = await requireWaiting(db, run, call.words[1]);
    // The decision is for the call that is named below, even if another call has replaced it since.
    const digest = 'digest' in waiting ? waiting.digest : undefined;
    const isDone = await db.decide(run.id, callId, decision.decision === 'allow' ? { ...decision, digest } : decision);
    const verb = decision.decision === 'allow' ? 'approved' : 'denied';
    // What was decided on, as it was when the decision was made.
    const what = callSummary(waiting.name, waiting.arguments);
    return reportChange(
      call,
      isDone,
      { run: run.id, call: callId, decision: decision.decision, name: waiting.name },
      isDone ? `${verb}: ${what}` : 'The call was decided meanwhile; the first decision counts.',
    );
  });
}

/** Resolves a call whose outcome is unknown: runs it again, tells the model, or takes a text as its result. */
export function runsResolve(call: CommandCall): Promise<number> {
  const [id, named = '', ...words] = call.words;
  const text = words.join(' ').trim();
  if (text === '' && id !== undefined)
    throw usageError('runs resolve needs ID CALL, followed by retry, tell or the text that the call returned.');
  const answer: OutcomeResolution = text === 'retry' || text === 'tell' ? text : { text };
  return withRun(call, 'runs resolve', async (db, run) => {
    const { callId, call: unknown } = await requireUnknown(db, run, named);
    const isDone = await db.resolveOutcome(run.id, callId, answer);
    const what = typeof answer === 'object' ? 'has its result' : answer === 'retry' ? 'runs again' : 'stays unknown';
    return reportChange(
      call,
      isDone,
      { run: run.id, call: callId, answer, name: unknown.name },
      isDone
        ? `${oneLine(unknown.name, 64)} ${oneLine(callId, 80)} ${what}`
        : 'The call has been resolved in the meantime; the first resolution counts.',
    );
  });
}

/** Cancels a run. One that runs is aborted by its worker. */
export function runsCancel(call: CommandCall): Promise<number> {
  return withRun(call, 'runs cancel', async (db, { id }) => {
    const isDone = await db.cancel(id);
    const status = (await db.status(id))?.status ?? 'gone';
    const shown = oneLine(id, 80);
    const doing = status === 'cancelled' ? `cancelled: ${shown}` : `being cancelled: ${shown}; its worker aborts it.`;
    const text = isDone ? doing : `The run "${shown}" is over already: it is ${status}.`;
    return reportChange(call, isDone, { run: id, status }, text);
  });
}

/** Puts a run back into the queue that failed or is blocked. What is recorded of it is not repeated. */
export function runsRetry(call: CommandCall): Promise<number> {
  const version = call.flags['agent-version'];
  if (version === '') throw usageError('--agent-version needs a version of the agent.');
  return withRun(call, 'runs retry', async (db, { id }) => {
    const isDone = await db.retry(id, { version }).then(
      () => true,
      (error: unknown) => {
        // Its status does not allow it.
        if (KernelError.is(error, 'CONFIG_INVALID')) return false;
        throw error;
      },
    );
    const run = await db.status(id);
    const shown = oneLine(id, 80);
    return reportChange(
      call,
      isDone,
      { run: id, status: run?.status, agentVersion: run?.version },
      isDone
        ? `queued: ${shown}, for a worker with version ${oneLine(run?.version ?? '', 80)} of ${oneLine(run?.agent ?? '', 80)}`
        : `The run "${shown}" is ${run?.status ?? 'gone'}: only one that failed or is blocked can be retried; with --agent-version, also a queued or waiting one.`,
    );
  });
}

export function runsEvents(call: CommandCall): Promise<number> {
  const { flags, output, signal } = call;
  const after = flags.after ?? 0;
  return withRun(call, 'runs events', async (db, { id }) => {
    for await (const logged of db.events(id, { after, follow: flags.follow === true, signal })) {
      signal.throwIfAborted();
      if (flags.json === true) output.writeJson(logged);
      else output.write(`${eventLine(logged)}\n`);
      // A reader that is slower than the log holds it up.
      await output.settle();
    }
    return EXIT.answer;
  });
}
