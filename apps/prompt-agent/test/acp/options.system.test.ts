import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { OWN_CONFIG } from '../program.ts';
import { callsIn, choose, withEditor } from './editor.ts';

const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };
const FILES = { 'a.txt': 'one\n' };
const SCRIPTED_AGENT = fileURLToPath(
  new URL('../../../../packages/acp/test/fixtures/scripted-agent.ts', import.meta.url),
);

test('a mode decides which tools the model has, and the conversation goes on in the next one', async () => {
  verifies('cli.acp.modes');
  const replies = [{ text: 'I would change a.txt.' }, { calls: [EDIT] }, { text: 'Done.' }];
  await withEditor({ replies, files: FILES }, async ({ agent, begin, prompt, asked, cwd }) => {
    const sessionId = await begin();
    await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    await prompt(sessionId, 'What would you do?');
    expect(asked()[0]).not.toContain('"edit_file"');
    const { configOptions } = await agent.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      value: 'act',
    });
    expect(configOptions.find(({ id }) => id === 'mode')).toMatchObject({ currentValue: 'act' });
    await prompt(sessionId, 'Do it.');
    expect(asked()[1]).toContain('"edit_file"');
    expect(asked()[1]).toContain('I would change a.txt.');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
  });
});

test('a turn is held to the mode that is chosen while it runs: what was allowed before changes nothing any more', async () => {
  verifies('cli.acp.modes');
  const answer = async (request: RequestPermissionRequest) => {
    await setMode?.();
    return choose(request, 'once');
  };
  let setMode: (() => Promise<unknown>) | undefined;
  const options = { replies: [{ calls: [EDIT] }, { calls: [EDIT] }, { text: 'Done.' }], files: FILES, answer };
  await withEditor(options, async ({ agent, begin, prompt, cwd, questions, updates }) => {
    const sessionId = await begin();
    setMode = () => agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
    await prompt(sessionId, 'Do it.');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(callsIn(updates)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
    // What the mode forbids is not asked about.
    expect(questions).toHaveLength(1);
  });
});

test('a model and how much it may think are options of the session, used from the next turn on', async () => {
  verifies('cli.acp.options');
  const replies = [{ text: 'First.' }, { text: 'Second.' }];
  await withEditor({ replies }, async ({ agent, begin, prompt, asked }) => {
    const sessionId = await begin();
    await prompt(sessionId, 'One.');
    const chosen = { sessionId, configId: 'model', value: 'other-model' };
    expect(JSON.stringify(await agent.request('session/set_config_option', chosen))).toContain('"m-1"');
    await agent.request('session/set_config_option', { sessionId, configId: 'effort', value: 'high' });
    await prompt(sessionId, 'Two.');
    expect(JSON.parse(asked()[0] ?? '')).toMatchObject({ model: 'm-1' });
    expect(JSON.parse(asked()[0] ?? '')).not.toHaveProperty('reasoning_effort');
    expect(JSON.parse(asked()[1] ?? '')).toMatchObject({ model: 'other-model', reasoning_effort: 'high' });
  });
});

test('the models of the vendor are offered once it has listed them', async () => {
  verifies('cli.acp.options');
  await withEditor({ replies: [] }, async ({ begin, updates }) => {
    await begin();
    await expect
      .poll(() => JSON.stringify(updates.find(({ sessionUpdate }) => sessionUpdate === 'config_option_update')), {
        timeout: 20_000,
      })
      .toContain('wire-model');
  });
});

test('an option or a value that there is not is refused by its name, and changes nothing', async () => {
  verifies('cli.acp.options');
  await withEditor({ replies: [{ text: 'Here.' }] }, async ({ agent, begin, prompt, said }) => {
    const sessionId = await begin();
    const set = (configId: string, value: string) =>
      agent.request('session/set_config_option', { sessionId, configId, value });
    await expect(set('colour', 'red')).rejects.toThrow('"colour"');
    await expect(set('effort', 'enormous')).rejects.toThrow('"enormous"');
    await expect(set('mode', '__proto__')).rejects.toThrow('__proto__');
    await expect(agent.request('session/set_mode', { sessionId, modeId: 'yolo' })).rejects.toThrow('yolo');
    await prompt(sessionId, 'Are you there?');
    expect(said()).toBe('Here.');
  });
});

test('what the context holds and what the session has cost are told where size and prices are known', async () => {
  verifies('cli.acp.usage');
  const config = { model: { prices: { input: 1, output: 2 }, context_tokens: 128_000 } };
  const replies = [
    { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }], usage: { inputTokens: 900, outputTokens: 50 } },
    { text: 'One.', usage: { inputTokens: 1000, outputTokens: 500 } },
    { text: 'Two.', usage: { inputTokens: 20, outputTokens: 10 } },
  ];
  const files = { 'a.txt': 'one\n', [OWN_CONFIG]: JSON.stringify(config) };
  const told = { sessionUpdate: 'usage_update', used: 1500, size: 128_000, cost: { amount: 0.003, currency: 'USD' } };
  await withEditor(
    { replies, files, args: ['--provider', 'openai'] },
    async ({ agent, begin, cwd, prompt, updates }) => {
      const usages = () => updates.filter(({ sessionUpdate }) => sessionUpdate === 'usage_update');
      const sessionId = await begin();
      await prompt(sessionId, 'One?');
      expect(usages()).toEqual([told]);
      // A session that is opened again has used what it had used.
      for (const method of ['session/load', 'session/resume'] as const) {
        await agent.request('session/close', { sessionId });
        updates.length = 0;
        await agent.request(method, { sessionId, cwd, mcpServers: [] });
        await expect.poll(usages).toEqual([told]);
      }
      updates.length = 0;
      await prompt(sessionId, 'Two?');
      expect(usages()).toEqual([{ ...told, used: 30, cost: { amount: 0.00304, currency: 'USD' } }]);
    },
  );
});

test('a mode that is chosen while a program runs holds for the calls of the program', async () => {
  verifies('cli.acp.modes');
  const code = `
    await tools.edit_file({ path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] });
    await tools.write_file({ path: 'b.txt', content: 'x' });
  `;
  let setMode: (() => Promise<unknown>) | undefined;
  const answer = async (request: RequestPermissionRequest) => {
    await setMode?.();
    return choose(request, 'once');
  };
  const replies = [{ calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'Done.' }];
  const options = { replies, files: FILES, answer, args: ['--code-mode'] };
  await withEditor(options, async ({ agent, begin, prompt, cwd, questions }) => {
    const sessionId = await begin();
    setMode = () => agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
    await prompt(sessionId, 'Do it.');
    expect(questions.length).toBeGreaterThan(0);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
  });
});

test('a mode that is chosen while another agent works holds for what it asks for, whatever a rule allows', async () => {
  verifies('cli.acp.modes');
  const asked = {
    request: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'p', kind: 'other', title: 'Go on', rawInput: { step: 1 } },
      options: [{ optionId: 'once', name: 'Yes', kind: 'allow_once' }],
    },
  };
  const command = { terminal: { command: 'touch', args: ['made.txt'] } };
  const byItself = {
    ...asked,
    params: { ...asked.params, toolCall: { toolCallId: 'q', kind: 'execute', rawInput: { command: 'true' } } },
  };
  const steps = [asked, byItself, command, { disk: { 'a.txt': 'two\n' } }, { say: 'Done.' }];
  const call = { name: 'scripted-agent', arguments: { task: JSON.stringify(steps) } };
  const agentCommand = `'${process.execPath}' --disable-warning=ExperimentalWarning '${SCRIPTED_AGENT}'`;
  const rules = ['run_command', 'agent_command', 'apply_patch'].flatMap((rule) => ['--allow', rule]);
  let setMode = (): Promise<unknown> => Promise.resolve();
  const titles: unknown[] = [];
  const answer = async (request: RequestPermissionRequest) => {
    titles.push(request.toolCall.title);
    if (titles.length === 2) await setMode();
    return choose(request, 'once');
  };
  const args = ['--agent-command', agentCommand, '--sandbox', 'off', ...rules];
  const options = { replies: [{ calls: [call] }, { text: 'Done.' }], files: FILES, answer, args };
  await withEditor(options, async ({ agent, begin, prompt, cwd, asked: sent }) => {
    const sessionId = await begin();
    setMode = () => agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
    await prompt(sessionId, 'Do it.');
    expect(titles).toHaveLength(2);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    for (const what of ['run_command', 'The command', 'apply_patch'])
      expect(sent().at(-1)).toMatch(new RegExp(`${what}.{1,40} was not allowed: The user has set the mode read-only`));
  });
});

test('a session keeps its mode when it is closed, forked or opened in another process, unless what started it is stricter', async () => {
  verifies('cli.acp.modes');
  const replies = [{ text: 'One.' }, { text: 'Two.' }];
  const folder = await withEditor({ replies }, async ({ agent, begin, prompt, cwd }) => {
    const sessionId = await begin();
    await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    const forked = await agent.request('session/fork', { sessionId, cwd, mcpServers: [] });
    expect(forked.modes?.currentModeId).toBe('plan');
    await prompt(sessionId, 'One?');
    await agent.request('session/set_mode', { sessionId, modeId: 'read-only' });
    await agent.request('session/close', { sessionId });
    const loaded = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe('read-only');
    return cwd;
  });
  await withEditor({ replies, folder }, async ({ agent, cwd }) => {
    const { sessions } = await agent.request('session/list', { cwd });
    const sessionId = sessions[0]?.sessionId ?? '';
    const { modes } = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(modes?.currentModeId).toBe('read-only');
    await agent.request('session/set_mode', { sessionId, modeId: 'act' });
  });
  await withEditor({ replies, folder, args: ['--mode', 'plan'] }, async ({ agent, cwd }) => {
    const { sessions } = await agent.request('session/list', { cwd });
    const sessionId = sessions[0]?.sessionId ?? '';
    const { modes } = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(modes?.currentModeId).toBe('plan');
  });
});
