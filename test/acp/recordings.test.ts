// Sessions of real agents, recorded with models that were scripts: `agents.ts` makes them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestPermissionRequest, SessionNotification } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession, type SessionOptions, type SessionOutcome } from './lib/drive-session.ts';
import { isMessage, parseRecording, type RecordedMessage, type Recording } from './lib/recorded.ts';
import { startAgent } from './lib/start-agent.ts';

const RECORDINGS = fileURLToPath(new URL('recordings/agents/', import.meta.url));
const REPLAY_AGENT = fileURLToPath(new URL('replay-agent.ts', import.meta.url));

const files = readdirSync(RECORDINGS);
const names = files.map((file) => file.replace(/\.jsonl$/, ''));
const read = (name: string) => parseRecording(readFileSync(join(RECORDINGS, `${name}.jsonl`), 'utf8'));

/** What a session comes to. */
interface Summary {
  /** What was asked, in order. */
  readonly asked: readonly unknown[];
  readonly stopReasons: readonly unknown[];
  /** What the agent wrote for the task. */
  readonly text: string;
  /** The greeting of the project at the end. */
  readonly file: string;
}

/** What a recorded session came to. */
function recordedSummary({ events }: Recording): Summary {
  const messages = events.filter(isMessage).map(({ message }) => message);
  const ended = (result: unknown): string | undefined => (result as { readonly stopReason?: string })?.stopReason;
  const taskEnd = messages.findIndex(({ result }) => ended(result) !== undefined);
  const text = messages.slice(0, taskEnd).map(({ method, params }) => {
    if (method !== 'session/update') return '';
    const { update } = params as SessionNotification;
    return update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '';
  });
  const isChanged = events.some((event) => !isMessage(event) || event.message.method === 'fs/write_text_file');
  return {
    asked: messages
      .filter(({ method }) => method === 'session/request_permission')
      .map(({ params }) => (params as RequestPermissionRequest).toolCall.kind),
    stopReasons: messages.map(({ result }) => ended(result)).filter((reason) => reason !== undefined),
    text: text.join(''),
    file: isChanged ? 'Hello, and welcome!\n' : 'Hello.\n',
  };
}

const summaryOf = ({ permissions, task, cancelled, taskText }: SessionOutcome, file: string): Summary => ({
  asked: permissions.map(({ toolCall }) => toolCall.kind),
  stopReasons: [task.stopReason, cancelled.stopReason],
  text: taskText,
  file,
});

/** Has the session of a recording with the SDK's own client. */
async function play(name: string, options?: SessionOptions) {
  const folder = temporaryFolder('replay', { 'greet.txt': 'Hello.\n', 'check.sh': 'grep -q welcome greet.txt\n' });
  const args = [REPLAY_AGENT, join(RECORDINGS, `${name}.jsonl`)];
  const variables = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  const agent = startAgent({ program: process.execPath, args, cwd: folder, variables });
  try {
    const outcome = await driveSession(agent.stream, folder, options);
    const summary = summaryOf(outcome, readFileSync(join(folder, 'greet.txt'), 'utf8'));
    return { summary, problems: problemsOf(agent.events.filter(isMessage)), noise: agent.noise };
  } finally {
    await agent.end();
  }
}

const problemsOf = (messages: readonly RecordedMessage[]) => messages.flatMap(createMessageCheck());

test('a recording of each agent that was tried is there', () => {
  expect(names.toSorted()).toEqual([
    'claude-agent-acp',
    'codex-acp',
    'gemini-cli',
    'opencode',
    'pi-acp',
    'sdk-dual-version-agent',
    'sdk-example-agent',
  ]);
});

describe.each(names)('the session of %s', (name) => {
  test('has only messages that the schema of the SDK accepts, both ways', () => {
    verifies('judges.acp.schema');
    expect(problemsOf(read(name).events.filter(isMessage))).toEqual([]);
  });

  test('names no place of the machine that it was recorded on', () => {
    expect(JSON.stringify(read(name))).not.toMatch(/tmp\/|\/root|127\.0\.0\.1/);
  });

  test("is played to the SDK's own client, which sees the same text, questions, change and cancellation", async () => {
    verifies('judges.acp.agents');
    const { summary, problems, noise } = await play(name);
    expect(summary).toEqual(recordedSummary(read(name)));
    expect({ problems, noise }).toEqual({ problems: [], noise: [] });
  });
});

test.each(['claude-agent-acp', 'codex-acp', 'gemini-cli', 'opencode'])(
  'nothing is changed by %s when its first question is answered with no',
  async (name) => {
    const { summary } = await play(name, { permission: 'reject_once' });
    expect(summary.asked).toEqual(['edit']);
    expect(summary.file).toBe('Hello.\n');
  },
);

test('the check of messages notices a missing field, an unknown method, a wrong answer and a reused id', () => {
  verifies('judges.acp.schema');
  const fromClient = [
    { id: 0, method: 'initialize', params: {} },
    { id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: [] } },
  ].map((message): RecordedMessage => ({ from: 'client', message: { jsonrpc: '2.0', ...message } }));
  const fromAgent = [
    { id: 0, result: { protocolVersion: 'one' } },
    { id: 0, result: {} },
    { method: 'session/updates', params: {} },
    { method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tool_call', title: 'A' } } },
  ].map((message): RecordedMessage => ({ from: 'agent', message: { jsonrpc: '2.0', ...message } }));
  const check = createMessageCheck();
  const noticed = [...fromClient, ...fromAgent].map((message) => check(message).length > 0);
  expect(noticed).toEqual([true, true, true, true, true, true]);
});
