import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt } from './program.ts';
import { agentOf, mail, messages, reaches, waitingRun } from './runs.support.ts';

test('runs cancel ends a run once, and one that runs is aborted by its worker', async () => {
  verifies('cli.runs.cancel');
  const { db, runs, work } = await waitingRun(mail('c1'));
  expect(await runs('cancel', 'ticket-42')).toMatchObject({ code: 0, stderr: 'cancelled: ticket-42\n' });
  expect((await db.status('ticket-42'))?.status).toBe('cancelled');
  const over = await runs('cancel', 'ticket-42');
  expect(over).toMatchObject({ code: 1, stdout: '' });
  expect(over.stderr).toContain('The run "ticket-42" is over already: it is cancelled.');
  const json = await runs('cancel', 'ticket-42', '--json');
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({
    version: 1,
    run: 'ticket-42',
    status: 'cancelled',
    isDone: false,
    exitCode: 1,
  });
  work({ slow: agentOf([{ text: 'never', hang: true }]) });
  await db.start('slow-1', { agent: 'slow', messages });
  await reaches(db, 'slow-1', 'running');
  expect(await runs('cancel', 'slow-1')).toMatchObject({ code: 0 });
  expect((await db.result('slow-1')).status).toBe('cancelled');
});

test('runs events --follow prints what happens as it does, and ends with the run', async () => {
  verifies('cli.runs.events');
  const { db, path, work } = await waitingRun(mail('c1'));
  const seen = Promise.withResolvers<void>();
  const following = prompt(['runs', 'events', 'ticket-42', '--follow', '--json', '--journal', path], {
    watch: (_child, stdout) => {
      if (stdout.includes('message-end')) seen.resolve();
    },
  });
  await seen.promise;
  await db.decide('ticket-42', 'c1', { decision: 'allow' });
  work({ support: agentOf([{ text: 'Done.' }]) });
  const { code, stdout } = await following;
  expect(code).toBe(0);
  const events = stdout.trimEnd().split('\n');
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
    event: { type: 'run-end', reason: 'done', answer: 'Done.' },
  });
  expect(events.map((line) => (JSON.parse(line) as { readonly seq: number }).seq)).toEqual(
    events.map((_, index) => index + 1),
  );
});

test('runs events --follow ends on Ctrl-C with 130', async () => {
  verifies('cli.runs.events');
  const { path } = await waitingRun(mail('c1'));
  const args = ['runs', 'events', 'ticket-42', '--follow', '--journal', path];
  let isInterrupted = false;
  const interrupted = await prompt(args, {
    watch: (child, stdout) => {
      // Once: a second Ctrl-C ends the process without waiting.
      if (isInterrupted || !stdout.includes('message-end')) return;
      isInterrupted = child.kill('SIGINT');
    },
  });
  expect(interrupted).toMatchObject({ code: 130, stderr: 'prompt-agent: interrupted\n' });
});
