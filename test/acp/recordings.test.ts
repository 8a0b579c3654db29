// Sessions of real agents, recorded with models that were scripts: `agents.ts` makes them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession } from './lib/drive-session.ts';
import { isMessage, parseRecording, type RecordedMessage } from './lib/recorded.ts';
import { LAST_WORDS } from './lib/scripted-model.ts';
import { type RunningAgent, startAgent } from './lib/start-agent.ts';

const RECORDINGS = fileURLToPath(new URL('recordings/agents/', import.meta.url));
const REPLAY_AGENT = fileURLToPath(new URL('replay-agent.ts', import.meta.url));

const names = readdirSync(RECORDINGS).map((file) => file.replace(/\.jsonl$/, ''));
const read = (name: string) => parseRecording(readFileSync(join(RECORDINGS, `${name}.jsonl`), 'utf8'));

const projectOf = (): string =>
  temporaryFolder('replay', { 'greet.txt': 'Hello.\n', 'check.sh': 'grep -q welcome greet.txt\n' });

function play(name: string, cwd: string): RunningAgent {
  return startAgent({
    program: process.execPath,
    args: [REPLAY_AGENT, join(RECORDINGS, `${name}.jsonl`)],
    cwd,
    variables: {},
  });
}

const problemsOf = (messages: readonly RecordedMessage[]) => messages.flatMap(createMessageCheck());

test('a recording of each agent that was tried is there', () => {
  expect(names.toSorted()).toEqual(['claude-agent-acp', 'codex-acp', 'gemini-cli', 'opencode', 'pi-acp']);
});

describe.each(names)('the session of %s', (name) => {
  test('has only messages that the schema of the SDK accepts, both ways', () => {
    verifies('judges.acp.schema');
    expect(problemsOf(read(name).events.filter(isMessage))).toEqual([]);
  });

  test('names no place of the machine that it was recorded on', () => {
    expect(JSON.stringify(read(name))).not.toMatch(/tmp\/|\/home\/|\/root|127\.0\.0\.1/);
  });

  test("is played to the SDK's own client, which sees the same text, questions and change", async () => {
    verifies('judges.acp.agents');
    const folder = projectOf();
    const agent = play(name, folder);
    try {
      const outcome = await driveSession(agent.stream, folder);
      const recorded = read(name).events.filter(isMessage);
      const asked = recorded.filter(({ message }) => message.method === 'session/request_permission');
      expect(outcome.task.stopReason).toBe('end_turn');
      expect(outcome.text).toContain(LAST_WORDS);
      expect(outcome.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(
        asked.map(({ message }) => (message.params as { toolCall: { kind: string } }).toolCall.kind),
      );
      expect(outcome.cancelled.stopReason).toBe('cancelled');
      expect(readFileSync(join(folder, 'greet.txt'), 'utf8')).toBe('Hello, and welcome!\n');
      expect(problemsOf(agent.events.filter(isMessage))).toEqual([]);
      expect(agent.noise).toEqual([]);
    } finally {
      await agent.end();
    }
  });

  test('changes nothing if the first question is answered with no', async () => {
    const folder = projectOf();
    const agent = play(name, folder);
    try {
      const outcome = await driveSession(agent.stream, folder, { permission: 'reject_once' });
      expect(outcome.permissions.length).toBe(name === 'pi-acp' ? 0 : 1);
      expect(readFileSync(join(folder, 'greet.txt'), 'utf8')).toBe(
        name === 'pi-acp' ? 'Hello, and welcome!\n' : 'Hello.\n',
      );
    } finally {
      await agent.end();
    }
  });
});

test('the check of messages notices a missing field, an unknown method, a wrong answer and a reused id', () => {
  verifies('judges.acp.schema');
  const messages: readonly RecordedMessage[] = [
    { from: 'client', message: { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} } },
    {
      from: 'client',
      message: { jsonrpc: '2.0', id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: [] } },
    },
    { from: 'agent', message: { jsonrpc: '2.0', id: 0, result: { protocolVersion: 'one' } } },
    { from: 'agent', message: { jsonrpc: '2.0', id: 0, result: {} } },
    { from: 'agent', message: { jsonrpc: '2.0', method: 'session/updates', params: {} } },
    {
      from: 'agent',
      message: {
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate: 'tool_call', title: 'A' } },
      },
    },
  ];
  const check = createMessageCheck();
  expect(messages.map((message) => check(message).length > 0)).toEqual(messages.map(() => true));
});
