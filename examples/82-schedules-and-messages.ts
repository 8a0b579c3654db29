import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { messageTool, streamChannel } from '@kernel/toolbox/messages';
import { permissions } from '@kernel/toolbox/permissions';
import { openScheduleStore, runSchedules, scheduleTool } from '@kernel/toolbox/schedules';
import { createRegistry } from '@kernel/tools';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const store = openScheduleStore(join(folder, 'schedules.db'));

// A conversation in which the model creates a schedule: the program sets the limits of each run.
const schedules = createRegistry([scheduleTool({ store, limits: { turns: 5, tokens: 50_000 } })]);
const inAMoment = new Date(Date.now() + 1000).toISOString();
const task = 'Send the greeting of the day.';
const conversation = await collect(
  run({
    provider: scriptedProvider([
      { calls: [{ name: 'schedule', arguments: { action: 'create', task, at: inAMoment, turns: 3 } }] },
      { text: 'I will.' },
    ]),
    model: 'any-model',
    messages: [{ role: 'user', content: 'Greet the team in a moment.' }],
    tools: schedules,
    approve: () => ({ decision: 'allow' }), // ask a person instead
  }),
);
assert.equal(conversation.reason, 'done');

// Another process runs the schedules unattended: each run has its own limits and rules.
const sent = new PassThrough({ encoding: 'utf8' }); // process.stdout, or webhookChannel({ url, secret })
const tools = createRegistry([messageTool([streamChannel(sent, 'team')])]);
const policy = permissions([{ allow: 'message' }], { default: 'deny' });
const provider = scriptedProvider([
  { calls: [{ name: 'message', arguments: { text: 'Good morning!' } }] },
  { text: 'Sent.' },
]);
const stop = new AbortController();
await runSchedules({
  store,
  signal: stop.signal,
  async run({ id, task: content, limits }, signal) {
    const messages = [{ role: 'user', content }] as const;
    const { approve } = policy;
    const result = await collect(
      run({ provider, model: 'any-model', messages, tools, approve, limits, signal, runId: id }),
    );
    setImmediate(() => stop.abort()); // a server would keep running
    if (result.reason !== 'done') throw new Error(`The run ended with ${result.reason}.`);
    return result.answer;
  },
});

assert.equal(sent.read(), 'Good morning!\n');
assert.deepEqual(store.list(), []); // it was due once
console.log(store.runs(1)[0]?.state, store.runs(1)[0]?.limits);
store.close();
await rm(folder, { recursive: true });
