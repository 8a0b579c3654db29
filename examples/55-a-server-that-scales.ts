import { callTool } from '@kernel/protocol';
// Two processes behind a load balancer serve one client: its requests alternate, and so do the rounds of a question. One is restarted.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMcp } from '@kernel/mcp';
import { startLoadBalancer } from './servers/load-balancer.ts';

const folder = await mkdtemp(join(tmpdir(), 'scales-'));
const token = randomBytes(32).toString('base64url');
const stateKey = randomBytes(32).toString('base64url'); // the same for all processes, and over their restarts
const processes: ChildProcess[] = [];
const urls: string[] = [];

async function start(number: number): Promise<void> {
  // Each process has its tasks in a file of its own, which it takes up again.
  const env = { ...process.env, STATE_KEY: stateKey, TOKEN: token, TASKS: join(folder, `tasks-${number}.db`) };
  const child = fork(new URL('servers/scaling-server.ts', import.meta.url), { env });
  const message: unknown[] = await once(child, 'message');
  processes[number] = child;
  urls[number] = String(message[0]);
}

await Promise.all([start(0), start(1)]);
const balancer = await startLoadBalancer(urls);
const headers = { Authorization: `Bearer ${token}` };
const tools = await connectMcp(
  { mcpServers: { office: { url: balancer.url, headers } } },
  { elicit: () => Promise.resolve({ action: 'accept', content: {} }) },
);
const call = async (name: string): Promise<string> => {
  const request = { type: 'tool-call', id: name, name: `mcp__office__${name}`, arguments: '{}' } as const;
  return (await callTool(tools, request, { signal: AbortSignal.timeout(10_000) })).forLLM;
};

const answered = new Set([await call('where'), await call('where'), await call('where')]);
const booked = await call('book');
const report = await call('report');

// An update: one process ends, and another takes its place. The client notices nothing.
const [first] = processes;
first?.kill();
if (first !== undefined) await once(first, 'exit');
await start(0);
const after = new Set([await call('where'), await call('where'), await call('book')]);

console.log([...answered], booked, report, [...after]);
assert.equal(answered.size, 2);
assert.deepEqual([booked, report], ['Booked.', 'The report.']);
assert.equal(after.size, 3);
assert.ok(after.has('Booked.'));

await tools.close();
balancer.close();
const ended = processes.map((child) => once(child, 'exit'));
for (const child of processes) child.disconnect();
await Promise.all(ended);
await rm(folder, { recursive: true });
