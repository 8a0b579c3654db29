import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { choose, withEditor } from './editor.ts';
import { FILES, oneCall } from './permissions.support.ts';

const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

test('a question shows the diff of an edit, and offers once, always, this session with the rule that each would add, and no', async () => {
  verifies('cli.acp.permission');
  const { questions, text } = await oneCall(EDIT, (request) => choose(request, 'once'));
  const [question] = questions;
  expect(question?.options.map(({ name, kind }) => ({ name, kind }))).toEqual([
    { name: 'Yes, once', kind: 'allow_once' },
    { name: 'Always: edit_file(a.txt)', kind: 'allow_always' },
    { name: 'Yes, for this session: edit_file(a.txt)', kind: 'allow_always' },
    { name: 'No', kind: 'reject_once' },
  ]);
  expect(question?.toolCall).toMatchObject({
    title: 'Edit a.txt',
    kind: 'edit',
    content: [{ type: 'diff', oldText: 'one\n', newText: 'two\n' }],
  });
  expect(text).toBe('two\n');
});

test('an edit that would change other lines than its question showed changes nothing', async () => {
  verifies('cli.acp.permission.digest');
  const whileAsked = (text: string) =>
    oneCall(EDIT, (request) => {
      writeFileSync(request.toolCall.locations?.[0]?.path ?? '', text);
      return choose(request, 'once');
    });
  const other = await whileAsked('a secret one\n');
  expect(other.text).toBe('a secret one\n');
  expect(other.result).toContain('was not run: the file has changed since its diff was shown.');
  expect((await whileAsked('zero\none\n')).text).toBe('zero\ntwo\n');
});

test('the answer names what was shown: the ids of the options have the digest of the call', async () => {
  verifies('cli.acp.permission.digest');
  const { questions } = await oneCall(EDIT, (request) => choose(request, 'once'));
  const shown = questions[0]?.toolCall as { _meta?: { 'prompt-agent'?: { digest?: string } } } | undefined;
  // oxlint-disable-next-line no-underscore-dangle -- as the protocol has it
  const digest = shown?._meta?.['prompt-agent']?.digest ?? '';
  expect(digest).toMatch(/^[\da-f]{64}$/);
  for (const { optionId } of questions[0]?.options ?? []) expect(optionId.endsWith(`:${digest}`)).toBe(true);
});

test('the name of an option is one line, whatever the rule that it would add', async () => {
  verifies('cli.acp.permission');
  const command = ['printf', 'one\ntwo\u2028three'];
  const { questions } = await oneCall({ name: 'run_command', arguments: { command } }, (asked) => choose(asked, 'no'));
  const names = questions[0]?.options.map(({ name }) => name) ?? [];
  expect(names).toHaveLength(4);
  expect(names[1]).toMatch(/^Always: run_command\(printf .*one.*two.*three.*\)$/);
  for (const name of names) expect(name).not.toMatch(/[\n\u2028]/);
});

test('a no is told to the model, and so is why', async () => {
  verifies('cli.acp.permission');
  const no = await oneCall(EDIT, (request) => choose(request, 'no'));
  expect(no.text).toBe('one\n');
  expect(no.result).toContain('The user said no.');
  const because = await oneCall(EDIT, (request) => choose(request, 'because'), {
    capabilities: { elicitation: { form: {} } },
    extend: (app) =>
      app.onRequest('elicitation/create', () => ({ action: 'accept', content: { reason: 'Use b.txt.' } })),
  });
  expect(because.text).toBe('one\n');
  expect(because.result).toContain('The user says: Use b.txt.');
});

test('a question that is cancelled, or answered with something else, allows nothing, and tells the model so', async () => {
  verifies('cli.acp.permission.hostile');
  const option = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } });
  const answers = [CANCELLED, option('once'), option('once:0123'), option(''), option('__proto__')];
  for (const answer of answers) {
    // oxlint-disable-next-line no-await-in-loop -- one program after the other
    const { text, result, end } = await oneCall(EDIT, () => answer);
    expect(text).toBe('one\n');
    expect(result).toContain('The editor gave no answer');
    expect(end.stopReason).toBe('end_turn');
  }
});

test('the answer to one call allows no other: an option of an earlier question is not one of a later', async () => {
  verifies('cli.acp.permission.hostile');
  let first: RequestPermissionResponse | undefined;
  const other = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'three' }] } };
  const replies = [{ calls: [EDIT] }, { calls: [other] }, { text: 'Done.' }];
  const answer = (request: RequestPermissionRequest) => (first ??= choose(request, 'once'));
  await withEditor({ replies, files: FILES, answer }, async ({ begin, prompt, cwd }) => {
    await prompt(await begin(), 'Do it.');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
  });
});

test('an editor that cannot ask allows nothing, and what reads goes on', async () => {
  verifies('cli.acp.permission.hostile');
  const { text, result } = await oneCall(EDIT, () => {
    throw new Error('not possible');
  });
  expect(text).toBe('one\n');
  expect(result).toContain('The editor gave no answer');
});

test('an answer for the session holds for calls like it in this session alone, and one for always in the next program', async () => {
  verifies('cli.acp.permission.rules');
  const again = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'one' }] } };
  const replies = [{ calls: [EDIT] }, { calls: [again] }, { text: 'Done.' }, { calls: [EDIT] }, { text: 'Done.' }];
  const folder = await withEditor(
    { replies, files: FILES, answer: (request) => choose(request, 'session') },
    async ({ begin, prompt, questions, cwd }) => {
      await prompt(await begin(), 'Twice.');
      expect(questions.length).toBe(1);
      await prompt(await begin(), 'Again.');
      expect(questions.length).toBe(2);
      return cwd;
    },
  );
  const ask = { replies: [{ calls: [again] }, { text: 'Done.' }], folder };
  await withEditor({ ...ask, answer: (request) => choose(request, 'always') }, async ({ begin, prompt, questions }) => {
    await prompt(await begin(), 'Always.');
    expect(questions.length).toBe(1);
  });
  await withEditor(
    { ...ask, replies: [{ calls: [EDIT] }, { text: 'Done.' }] },
    async ({ begin, prompt, questions, cwd }) => {
      await prompt(await begin(), 'And again.');
      expect(questions.length).toBe(0);
      expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
    },
  );
});

test('an editor that knows options by their kinds alone, and takes the last of one, saves no rule', async () => {
  verifies('cli.acp.permission.rules');
  const byKind = ({ options }: RequestPermissionRequest): RequestPermissionResponse => {
    const optionId = options.findLast(({ kind }) => kind === 'allow_always')?.optionId ?? '';
    return { outcome: { outcome: 'selected', optionId } };
  };
  const { text, cwd } = await oneCall(EDIT, byKind);
  expect(text).toBe('two\n');
  const again = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'one' }] } };
  const { questions } = await oneCall(again, byKind, { folder: cwd });
  expect(questions.length).toBe(1);
});

test('a rule that denies is never asked about, and one that asks offers no rule', async () => {
  verifies('cli.acp.permission.rules');
  const denied = await oneCall(EDIT, () => CANCELLED, { args: ['--deny', 'edit_file(a.txt)'] });
  expect(denied.questions).toEqual([]);
  expect(denied.calls[0]).toMatchObject({ status: 'failed' });
  const asked = await oneCall(EDIT, (request) => choose(request, 'once'), { args: ['--ask', 'edit_file(a.txt)'] });
  expect(asked.questions[0]?.options.map(({ optionId }) => optionId.split(':', 1)[0])).toEqual(['once', 'no']);
});

test('what the model says before a call is read before the question about it', async () => {
  verifies('cli.acp.permission');
  const replies = [{ text: 'The price is not rounded, so I mend that now.', calls: [EDIT] }, { text: 'Done.' }];
  let before = '';
  await withEditor(
    {
      replies,
      files: FILES,
      answer(request) {
        before = said();
        return choose(request, 'once');
      },
    },
    async (editor) => {
      said = () => editor.said();
      await editor.prompt(await editor.begin(), 'Mend it.');
      expect(before).toBe('The price is not rounded, so I mend that now.');
    },
  );
});

let said = (): string => '';

test('a change that no diff can show is shown with the arguments of the call', async () => {
  verifies('cli.acp.permission');
  const patch = `*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: long.txt\n+${'x'.repeat(1_100_000)}\n*** End Patch`;
  const { questions } = await oneCall({ name: 'apply_patch', arguments: { patch } }, (asked) => choose(asked, 'once'));
  const content = questions[0]?.toolCall.content;
  expect(content).toMatchObject([{ type: 'content' }, { type: 'diff', oldText: 'one\n', newText: 'two\n' }]);
  expect(JSON.stringify(content?.[0])).toContain('*** Add File: long.txt');
  // What would be done is shown whole, and once.
  const sent = JSON.stringify(questions[0]);
  expect(sent).toContain('x'.repeat(1_100_000));
  expect(sent.length).toBeLessThan(1_200_000);
});

test('rules that are added or removed elsewhere hold from the next turn of an open session on, with its own answers', async () => {
  verifies('cli.approval.kept');
  const edit = (path: string) => ({
    calls: [{ name: 'write_file', arguments: { path, content: 'new\n' } }],
  });
  const replies = ['a.txt', 'a.txt', 'b.txt', 'b.txt', 'secret.txt'].flatMap((path) => [edit(path), { text: 'Done.' }]);
  let option = 'always';
  const answer = (request: RequestPermissionRequest) => choose(request, option);
  const rules = '.config/prompt-agent/permissions.json';
  await withEditor({ replies, files: FILES, answer }, async ({ asked, begin, cwd, prompt, questions }) => {
    const sessionId = await begin();
    const counts: number[] = [];
    const turn = async () => counts.push((await prompt(sessionId, 'Write.'), questions.length));
    await turn();
    // The rule of the answer is removed by the user, who is asked again.
    expect(readFileSync(join(cwd, rules), 'utf8')).toContain('write_file(a.txt)');
    writeFileSync(join(cwd, rules), '{"rules":[{"deny":"*(secret.txt)"}]}');
    option = 'once';
    await turn();
    // An answer for the session stays.
    option = 'session';
    await turn();
    writeFileSync(join(cwd, rules), '{"rules":[{"deny":"*(secret.*)"}]}');
    await turn();
    await turn();
    expect(counts).toEqual([1, 2, 3, 3, 3]);
    expect(existsSync(join(cwd, 'secret.txt'))).toBe(false);
    expect(asked().at(-1)).toContain('secret.*');
  });
});

test('of fifty answers that are not an offered yes to this very question, none allows it', async () => {
  verifies('cli.acp.permission.hostile');
  let earlier = '';
  const selected = (optionId: unknown) => ({ outcome: { outcome: 'selected', optionId } });
  type Forge = (yes: string) => unknown;
  const variants: readonly Forge[] = [
    (yes) => yes.toUpperCase(),
    (yes) => ` ${yes}`,
    (yes) => `${yes} `,
    (yes) => `${yes}\0`,
    (yes) => yes.slice(0, -1),
    (yes) => `${yes}0`,
    (yes) => yes.replace('once', 'Once'),
    (yes) => yes.replace('once', 'allow'),
    (yes) => yes.replace('once', 'yes'),
    (yes) => yes.replace(':', '::'),
    (yes) => yes.replace('o', 'о'),
    (yes) => [yes],
    (yes) => ({ toString: yes }),
    () => earlier,
    () => 'once',
    () => 'allow_once',
    () => 'constructor',
    () => 'x'.repeat(1_000_000),
    ...['', 0, true, null, {}, []].map((value) => () => value),
  ];
  const answers: readonly ((yes: string) => unknown)[] = [
    ...variants.map((forge) => (yes: string) => selected(forge(yes))),
    ...[1, 'yes', 0, [], {}, { outcome: 'selected' }, { outcome: null }, { outcome: 'allow' }].map(
      (value) => () => value,
    ),
    (yes) => ({ outcome: { outcome: 'cancelled', optionId: yes } }),
    (yes) => ({ outcome: { outcome: 'Selected', optionId: yes } }),
    (yes) => ({ outcome: { outcome: ['selected'], optionId: yes } }),
    (yes) => ({ outcome: [{ outcome: 'selected', optionId: yes }] }),
    (yes) => [selected(yes)],
    (yes) => ({ outcome: { optionId: yes } }),
    (yes) => ({ outcome: 'selected', optionId: yes }),
    (yes) => ({ optionId: yes, kind: 'allow_once' }),
    (yes) => ({ result: selected(yes) }),
    (yes) => ({ _meta: selected(yes) }),
    (yes) => JSON.stringify(selected(yes)),
    () => ({ action: 'accept' }),
    () => {
      throw new Error('the editor has crashed');
    },
    () => CANCELLED,
    (yes) => ({ outcome: { outcome: 'cancelled' }, optionId: yes, decision: 'allow' }),
    (yes) => ({ decision: 'allow', digest: yes.split(':')[1] }),
    () => ({ outcome: { outcome: 'selected', optionId: 'no' } }),
    () => selected(`once:${'f'.repeat(64)}`),
  ];
  expect(answers.length).toBeGreaterThanOrEqual(50);
  let at = 0;
  const replies = answers.flatMap(() => [{ calls: [EDIT] }, { text: 'Refused.' }]);
  const options = {
    replies,
    files: FILES,
    isHostile: true,
    answer(request: RequestPermissionRequest): RequestPermissionResponse {
      const yes = request.options[0]?.optionId ?? '';
      const answer = answers[at]?.(yes);
      at += 1;
      earlier = yes.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid
      return answer as RequestPermissionResponse;
    },
  };
  await withEditor(options, async ({ begin, prompt, cwd, questions }) => {
    for (const [index] of answers.entries()) {
      const sessionId = await begin();
      expect(await prompt(sessionId, 'Do it.')).toMatchObject({ stopReason: 'end_turn' });
      expect([index, questions.length]).toEqual([index, index + 1]);
      expect([index, readFileSync(join(cwd, 'a.txt'), 'utf8')]).toEqual([index, 'one\n']);
    }
    expect(existsSync(join(cwd, '.config/prompt-agent/permissions.json'))).toBe(false);
  });
});

test('no path of a prompt or a session that an editor makes up is read, and each is answered', async () => {
  verifies('cli.acp.hostile');
  const uris = [
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    'file://evil.example/etc/passwd',
    'file:///etc/../etc/passwd#L1-9',
    'file:///proc/self/environ',
    'file:///dev/zero',
    'file:%2f%2f/etc/passwd',
    'file:///a%00b',
    'file:///%2e%2e/%2e%2e/etc/passwd',
    '/etc/passwd',
    '../../../../etc/passwd',
    'https://127.0.0.1:1/x',
    'data:text/plain,root',
    `file:///${'x/'.repeat(10_000)}`,
    'file:///\u202Etxt.a',
    '\u001B[2J',
    '',
  ];
  const folders = [
    '',
    '.',
    '/nowhere/at/all',
    '/etc/passwd',
    '/dev/null',
    '/proc/self/fd/0',
    '\0',
    `/${'x'.repeat(5000)}`,
    '/etc\0',
  ];
  const replies = uris.map(() => ({ text: 'Read.' }));
  await withEditor({ replies, files: FILES, isHostile: true }, async ({ agent, begin, prompt, asked, ...editor }) => {
    const sessionId = await begin();
    for (const uri of uris)
      expect(await prompt(sessionId, 'See ', { type: 'resource_link', uri, name: 'x' })).toMatchObject({
        stopReason: 'end_turn',
      });
    expect(asked().join('')).not.toContain('root:');
    expect(editor.said()).not.toContain('\u001B');
    for (const cwd of folders)
      await expect(agent.request('session/new', { cwd, mcpServers: [] })).rejects.toMatchObject({ code: -32_602 });
    expect((await agent.request('session/list', {})).sessions).toHaveLength(1);
  });
});
