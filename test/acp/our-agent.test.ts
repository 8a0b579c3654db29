// `prompt-agent acp`, as it is built, with the SDK's own client and as clients of other people use it.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession, type SessionOptions } from './lib/drive-session.ts';
import { OUR_AGENT } from './lib/our-agent.ts';
import { isMessage, parseRecording } from './lib/recorded.ts';
import { replayClient } from './lib/replay-client.ts';
import { LAST_WORDS } from './lib/scripted-model.ts';
import { openStage } from './lib/stage.ts';
import { type RunningAgent, startAgent } from './lib/start-agent.ts';

const CLIENTS = fileURLToPath(new URL('recordings/clients/', import.meta.url));

/** Has a session with the program. Returns what `use` does, the project's file, and what is wrong with the messages. */
async function withAgent<T>(use: (agent: RunningAgent, folder: string) => Promise<T>) {
  const stage = await openStage(OUR_AGENT, temporaryFolder('our-agent'));
  const agent = startAgent(stage.command);
  try {
    const outcome = await use(agent, stage.folder);
    const problems = agent.events.filter(isMessage).flatMap(createMessageCheck());
    return { outcome, problems, noise: agent.noise, file: readFileSync(join(stage.folder, 'greet.txt'), 'utf8') };
  } finally {
    await agent.end();
    await stage.close();
  }
}

const drive = (options?: SessionOptions) => withAgent((agent, folder) => driveSession(agent.stream, folder, options));

describe("with the SDK's own client", () => {
  test('a task is done, asked about, and every message of it is one of the schema', async () => {
    verifies('judges.acp.client');
    const { outcome, problems, noise, file } = await drive();
    expect({ problems, noise, file }).toEqual({ problems: [], noise: [], file: 'Hello, and welcome!\n' });
    expect(outcome.task.stopReason).toBe('end_turn');
    expect(outcome.taskText).toContain(LAST_WORDS);
    expect(outcome.permissions.length).toBe(2);
    expect(outcome.cancelled.stopReason).toBe('cancelled');
  });

  test('what is refused is not done', async () => {
    const { outcome, problems, file } = await drive({ permission: 'reject_once' });
    expect({ problems, file }).toEqual({ problems: [], file: 'Hello.\n' });
    expect(outcome.task.stopReason).toBe('end_turn');
  });
});

/** What clients send that is not of the schema. */
const NOT_OF_THE_SCHEMA: Readonly<Record<string, readonly string[]>> = {
  codecompanion: ['the result of fs/write_text_file: expected object, received null'],
};

describe.each(readdirSync(CLIENTS).map((file) => file.replace(/\.jsonl$/, '')))('as %s used it', (name) => {
  const recording = parseRecording(readFileSync(join(CLIENTS, `${name}.jsonl`), 'utf8'));
  const end = recording.events.at(-1);
  const file = end === undefined || isMessage(end) ? undefined : end.text;

  test('every message that the client sent and got is one of the schema, but for those that are known', () => {
    verifies('judges.acp.clients');
    expect(recording.events.filter(isMessage).flatMap(createMessageCheck())).toEqual(NOT_OF_THE_SCHEMA[name] ?? []);
  });

  test('the session has the same end once more', async () => {
    verifies('judges.acp.clients');
    const { outcome, ...rest } = await withAgent((agent, folder) => replayClient(agent.stream, recording, folder));
    expect(rest).toEqual({ problems: [], noise: [], file });
    expect(outcome.text).toContain(LAST_WORDS);
  });
});
