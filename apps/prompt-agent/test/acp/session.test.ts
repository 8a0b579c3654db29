import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere } from '../program.ts';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable';
import { callsIn, choose, withEditor } from './editor.ts';

/** An image of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };

test('an answer is streamed with what the model thinks, and the editor reads why it ended and what it used', async () => {
  verifies('cli.acp.prompt');
  const replies = [{ reasoning: 'Let me think.', text: 'Hello, world.', usage: { inputTokens: 7, outputTokens: 5 } }];
  await withEditor({ replies }, async ({ begin, prompt, said, updates }) => {
    const session = await begin();
    expect(await prompt(session, 'Say hello.')).toEqual({
      stopReason: 'end_turn',
      usage: { totalTokens: 12, inputTokens: 7, outputTokens: 5 },
    });
    expect(said()).toBe('Hello, world.');
    const thoughts = updates.flatMap((update) =>
      update.sessionUpdate === 'agent_thought_chunk' && 'text' in update.content ? [update.content.text] : [],
    );
    expect(thoughts.join('')).toBe('Let me think.');
    const chunks = updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    expect(chunks.length).toBeGreaterThan(1);
    expect(new Set(chunks.map((chunk) => 'messageId' in chunk && chunk.messageId)).size).toBe(1);
  });
});

test('a call is shown from its name on, with title, kind, locations, status and the diff of what it changed', async () => {
  verifies('cli.acp.calls');
  const calls = [{ name: 'read_file', arguments: { path: 'a.txt', offset: 1, limit: 1 } }];
  const replies = [{ calls }, { calls: [EDIT] }, { text: 'Done.' }];
  await withEditor({ replies, files: { 'a.txt': 'one\nmore\n' } }, async ({ begin, prompt, updates, cwd }) => {
    await prompt(await begin(), 'Change it.');
    const [read, edit] = callsIn(updates);
    expect(read).toMatchObject({
      name: 'read_file',
      title: 'Read a.txt (lines 1–1)',
      kind: 'read',
      status: 'completed',
      locations: [{ path: join(cwd, 'a.txt'), line: 1 }],
      rawInput: { path: 'a.txt' },
    });
    expect(edit).toMatchObject({
      title: 'Edit a.txt',
      kind: 'edit',
      status: 'completed',
      content: [{ type: 'diff', path: join(cwd, 'a.txt'), oldText: 'one\nmore\n', newText: 'two\nmore\n' }],
    });
    const statuses = updates.flatMap((update) =>
      'toolCallId' in update && update.toolCallId === edit?.['toolCallId'] && update.status != null
        ? [update.status]
        : [],
    );
    expect(statuses).toEqual(['pending', 'in_progress', 'completed']);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\nmore\n');
  });
});

test('a call that fails is shown as failed, with what the model reads of it', async () => {
  verifies('cli.acp.calls');
  const replies = [{ calls: [{ name: 'read_file', arguments: { path: 'none.txt' } }] }, { text: 'Sorry.' }];
  await withEditor({ replies }, async ({ begin, prompt, updates }) => {
    await prompt(await begin(), 'Read it.');
    const [call] = callsIn(updates);
    expect(call).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(call?.['content'])).toContain('none.txt');
  });
});

test('the plan of the model is the plan of the session', async () => {
  verifies('cli.acp.plan');
  const entries = [
    { content: 'Find it', status: 'completed', priority: 'high' },
    { content: 'Mend it', status: 'in_progress' },
  ];
  const replies = [{ calls: [{ name: 'update_plan', arguments: { entries } }] }, { text: 'Going on.' }];
  await withEditor({ replies }, async ({ begin, prompt, updates }) => {
    await prompt(await begin(), 'Plan it.');
    expect(updates.find(({ sessionUpdate }) => sessionUpdate === 'plan')).toEqual({
      sessionUpdate: 'plan',
      entries: [entries[0], { content: 'Mend it', status: 'in_progress', priority: 'medium' }],
    });
  });
});

test('the title of a session is the first line of its prompt, in the list as in what is told of it', async () => {
  verifies('cli.acp.sessions');
  await withEditor({ replies: [{ text: 'One.' }] }, async ({ begin, prompt, agent, updates }) => {
    await prompt(await begin(), `  One question ${'long '.repeat(30)}\nwith two lines`);
    const told = updates.find((update) => update.sessionUpdate === 'session_info_update');
    expect(told?.title).toMatch(/^One question long [^\n\\]*$/);
    const { sessions } = await agent.request('session/list', {});
    expect(sessions.map(({ title }) => title)).toEqual([told?.title]);
  });
});

test('a session of an editor is listed, goes on in another process and in the terminal, and is deleted', async () => {
  verifies('cli.acp.sessions');
  const folder = await withEditor({ replies: [{ text: 'First.' }] }, async ({ begin, prompt, agent, cwd }) => {
    const id = await begin();
    expect(await agent.request('session/list', {})).toEqual({ sessions: [] });
    await prompt(id, 'One.');
    const { sessions } = await agent.request('session/list', { cwd });
    expect(sessions).toMatchObject([{ sessionId: id, cwd, title: 'One.' }]);
    expect(await agent.request('session/list', { cwd: '/elsewhere' })).toEqual({ sessions: [] });
    return cwd;
  });
  const replies = [{ text: 'Second.' }, { text: 'Third.' }];
  await withEditor({ replies, folder }, async ({ agent, cwd, updates, prompt, server, asked, quit }) => {
    const { sessions } = await agent.request('session/list', { cwd });
    const sessionId = sessions[0]?.sessionId ?? '';
    const { modes } = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(modes?.currentModeId).toBe('act');
    expect(updates.slice(0, 2)).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'One.' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'First.' } },
    ]);
    await prompt(sessionId, 'Two.');
    expect(asked().at(-1)).toContain('First.');
    await agent.request('session/close', { sessionId });
    const model = ['--base-url', server.baseUrl, '--model', 'm-1'];
    const { stdout } = await promptHere(['-c', ...model, 'Three.'], { cwd });
    expect(stdout).toBe('Third.\n');
    expect(asked().at(-1)).toContain('Second.');
    await agent.request('session/delete', { sessionId });
    expect(await agent.request('session/list', {})).toEqual({ sessions: [] });
    await expect(agent.request('session/load', { sessionId, cwd, mcpServers: [] })).rejects.toMatchObject({
      code: -32_002,
    });
    expect(await quit()).toBe(0);
  });
});

test('a session without a prompt is deleted as well, and a page of the list goes on behind one that was deleted', async () => {
  verifies('cli.acp.sessions');
  const replies = Array.from({ length: 52 }, (_, at) => ({ text: `${at}` }));
  await withEditor({ replies }, async ({ begin, prompt, agent, cwd }) => {
    const empty = await begin();
    expect(await agent.request('session/delete', { sessionId: empty })).toEqual({});
    for (const { text } of replies) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await prompt(await begin(), text);
    }
    const first = await agent.request('session/list', { cwd });
    expect(first.sessions.map(({ title }) => title)).toHaveLength(50);
    await agent.request('session/delete', { sessionId: first.sessions[10]?.sessionId ?? '' });
    const { sessions, nextCursor } = await agent.request('session/list', { cwd, cursor: first.nextCursor ?? null });
    expect([sessions.map(({ title }) => title), nextCursor]).toEqual([['1', '0'], undefined]);
    await expect(agent.request('session/list', { cursor: '50' })).rejects.toMatchObject({ code: -32_602 });
    await expect(agent.request('session/new', { cwd: `${cwd}/\0`, mcpServers: [] })).rejects.toMatchObject({
      code: -32_602,
    });
  });
});

test('a replay has the diffs, the plan and the order of what was shown', async () => {
  verifies('cli.acp.sessions');
  const entries = [{ content: 'Mend it', status: 'in_progress', priority: 'medium' }];
  const replies = [{ calls: [{ name: 'update_plan', arguments: { entries } }] }, { calls: [EDIT] }, { text: 'Done.' }];
  await withEditor({ replies, files: { 'a.txt': 'one\n' } }, async ({ begin, agent, cwd, updates }) => {
    const sessionId = await begin();
    const image = { type: 'image' as const, mimeType: 'image/png', data: PNG };
    await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Look: ' }, image] });
    const before = updates.length;
    await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    const replayed = updates.slice(before);
    expect(replayed.slice(0, 2)).toMatchObject([{ content: { type: 'text' } }, { content: { type: 'image' } }]);
    expect(replayed).toContainEqual({ sessionUpdate: 'plan', entries });
    const path = join(cwd, 'a.txt');
    expect(callsIn(replayed)[1]).toMatchObject({ content: [{ type: 'diff', path, oldText: 'one', newText: 'two' }] });
  });
});

test('a session that is resumed sends nothing of before, and its model reads all of it', async () => {
  verifies('cli.acp.sessions');
  const replies = [{ text: 'First.' }, { text: 'Second.' }];
  await withEditor({ replies }, async ({ begin, prompt, agent, cwd, updates, asked }) => {
    const sessionId = await begin();
    await prompt(sessionId, 'One.');
    await agent.request('session/close', { sessionId });
    const before = updates.length;
    await agent.request('session/resume', { sessionId, cwd });
    expect(updates.slice(before).filter(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'))).toEqual([]);
    await prompt(sessionId, 'Two.');
    expect(asked().at(-1)).toContain('First.');
  });
});

test('a fork has what the session had, and neither knows what the other says after it', async () => {
  verifies('cli.acp.sessions');
  const replies = [{ text: 'First.' }, { text: 'In the fork.' }, { text: 'In the first.' }];
  await withEditor({ replies }, async ({ begin, prompt, agent, cwd, asked }) => {
    const sessionId = await begin();
    await prompt(sessionId, 'One.');
    const fork = await agent.request('session/fork', { sessionId, cwd, mcpServers: [] });
    expect(fork.sessionId).not.toBe(sessionId);
    await prompt(fork.sessionId, 'Two.');
    expect(asked().at(-1)).toContain('First.');
    await prompt(sessionId, 'Three.');
    expect(asked().at(-1)).not.toContain('In the fork.');
    const { sessions } = await agent.request('session/list', {});
    expect(sessions.map((session) => session.sessionId).toSorted()).toEqual([sessionId, fork.sessionId].toSorted());
  });
});

test('several sessions of a process answer at once, each in its own folder and with its own updates', async () => {
  verifies('cli.acp.sessions.several');
  const replies = ({ body }: { body: unknown }) => ({
    text: JSON.stringify(body).includes('"One."') ? 'To one.' : 'To two.',
  });
  await withEditor({ replies }, async ({ begin, prompt, updates, sessionsOfUpdates }) => {
    const ids = [await begin(), await begin()] as const;
    const ends = await Promise.all([prompt(ids[0], 'One.'), prompt(ids[1], 'Two.')]);
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(['end_turn', 'end_turn']);
    const textOf = (id: string) =>
      updates
        .filter((_, index) => sessionsOfUpdates[index] === id)
        .map((update) =>
          update.sessionUpdate === 'agent_message_chunk' && 'text' in update.content ? update.content.text : '',
        )
        .join('');
    expect(ids.map(textOf)).toEqual(['To one.', 'To two.']);
  });
});

test('a turn that is cancelled ends as cancelled, its question is withdrawn, and nothing runs after it', async () => {
  verifies('cli.acp.cancel');
  let withdrawn: Promise<unknown> | undefined;
  const answer = (_request: unknown, signal: AbortSignal): Promise<never> => {
    withdrawn = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return new Promise(() => undefined);
  };
  const options = { replies: [{ calls: [EDIT] }, { text: 'Again.' }], files: { 'a.txt': 'one\n' }, answer };
  await withEditor(options, async ({ begin, prompt, agent, cwd, questions, said }) => {
    const sessionId = await begin();
    const turn = prompt(sessionId, 'Change it.');
    await expect.poll(() => questions.length).toBe(1);
    await agent.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await withdrawn;
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await prompt(sessionId, 'Go on.')).toMatchObject({ stopReason: 'end_turn' });
    expect(said()).toContain('Again.');
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  });
});

test('a prompt while another one of its session is answered is refused, and the other one goes on', async () => {
  verifies('cli.acp.prompt');
  const release = Promise.withResolvers<void>();
  const answer = async (request: RequestPermissionRequest) => {
    await release.promise;
    return choose(request, 'no');
  };
  const options = { replies: [{ calls: [EDIT] }, { text: 'Done.' }], files: { 'a.txt': 'one\n' }, answer };
  await withEditor(options, async ({ begin, prompt, questions }) => {
    const sessionId = await begin();
    const first = prompt(sessionId, 'One.');
    await expect.poll(() => questions.length).toBe(1);
    await expect(prompt(sessionId, 'Two.')).rejects.toMatchObject({ code: -32_600 });
    release.resolve();
    expect(await first).toMatchObject({ stopReason: 'end_turn' });
  });
});

test('a session that is open here is loaded again with all that it has, also where nothing is stored', async () => {
  verifies('cli.acp.sessions');
  for (const args of [[], ['--no-session']])
    // oxlint-disable-next-line no-await-in-loop -- one program after the other
    await withEditor({ replies: [{ text: 'First.' }, { text: 'Second.' }], args }, async (editor) => {
      const { agent, begin, prompt, cwd, updates, asked } = editor;
      const sessionId = await begin();
      await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
      await prompt(sessionId, 'One.');
      const before = updates.length;
      await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
      expect(JSON.stringify(updates.slice(before))).toContain('First.');
      const servers = [{ name: 'none', command: 'missing-program', args: [], env: [] }];
      await agent.request('session/resume', { sessionId, cwd, mcpServers: servers });
      await agent.request('session/resume', { sessionId, cwd });
      await prompt(sessionId, 'Two.');
      expect(asked().at(-1)).toContain('First.');
      await expect(agent.request('session/load', { sessionId, cwd: '/tmp', mcpServers: [] })).rejects.toThrow('folder');
      await expect(agent.request('session/new', { cwd: join(cwd, 'none'), mcpServers: [] })).rejects.toThrow('none');
    });
});

test('a session is not loaded while it answers, and not deleted while another program has it open', async () => {
  verifies('cli.acp.sessions');
  const release = Promise.withResolvers<void>();
  const answer = async (request: RequestPermissionRequest) => {
    await release.promise;
    return choose(request, 'no');
  };
  const options = { replies: [{ calls: [EDIT] }, { text: 'Done.' }], files: { 'a.txt': 'one\n' }, answer };
  await withEditor(options, async ({ agent, begin, prompt, cwd, questions, said }) => {
    const sessionId = await begin();
    const turn = prompt(sessionId, 'One.');
    await expect.poll(() => questions.length).toBe(1);
    const load = agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    await expect(load).rejects.toMatchObject({ code: -32_600 });
    await withEditor({ replies: [], folder: cwd }, async (other) => {
      await expect(other.agent.request('session/delete', { sessionId })).rejects.toThrow('open in process');
      const there = other.agent.request('session/load', { sessionId, cwd: other.cwd, mcpServers: [] });
      await expect(there).rejects.toThrow(/is open in process \d+\.[ \n]Close it there, or fork it here\./);
    });
    release.resolve();
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(said()).toBe('Done.');
  });
});
