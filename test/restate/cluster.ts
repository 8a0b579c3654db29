/**
 * Runs the three nodes of `packages/restate/compose.yaml` as processes on loopback, with the settings of that file, kills one, and counts what is lost:
 * `node test/restate/cluster.ts [--runs 60]`. Build first.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentWorkflow, openRestate } from '@kernel/restate';
import { parse } from 'yaml';
import { serveOnLoopback } from './endpoint.ts';
import { everyAgent } from './fixtures/agents.ts';
import { freePort, serverPath } from './server.ts';

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '60' } } });
const count = Number(values.runs);
const text = readFileSync(join(import.meta.dirname, '../../packages/restate/compose.yaml'), 'utf8');
const { services } = parse(text, { merge: true }) as Compose;
const names = Object.keys(services).filter((name) => name.startsWith('restate-'));
const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const ports = new Map<string, { readonly node: number; readonly ingress: number; readonly admin: number }>();
for (const name of names)
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  ports.set(name, { node: await freePort(), ingress: await freePort(), admin: await freePort() });

const nodes = names.map(startNode);
const entered = new Map<string, number>();
const agents = everyAgent((runId, callId) => {
  entered.set(`${runId} ${callId}`, (entered.get(`${runId} ${callId}`) ?? 0) + 1);
});
const endpoint = await serveOnLoopback(Object.entries(agents).map(([name, agent]) => agentWorkflow(name, agent)));
try {
  const [first, second] = names.map((name) => addressesOf(name));
  if (first === undefined || second === undefined) throw new Error('There are no nodes in the compose file.');
  await until('the cluster is ready', async () => {
    const health = await fetch(`${first.adminUrl}/cluster-health`);
    return health.ok && (await fetch(`${second.ingressUrl}/restate/health`)).ok;
  });
  await until('the workers are known', async () => {
    const body = JSON.stringify({ uri: endpoint.url, force: true });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${second.adminUrl}/deployments`, { method: 'POST', headers, body })).ok;
  });
  const runs = openRestate({ agent: 'plain', ...second });
  const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
  const messages = [{ role: 'user', content: 'Go' }] as const;
  await until('the second node takes runs', () => runs.start('first', { messages }).catch(() => false));
  await Promise.all(ids.slice(0, count / 2).map((id) => runs.start(id, { messages })));
  console.log('kills the first node');
  nodes[0]?.kill('SIGKILL');
  const killedMs = performance.now();
  for (const id of ids)
    // oxlint-disable-next-line no-await-in-loop -- until another node leads what the first one led
    await until(`${id} is accepted`, () => runs.start(id, { messages }).then(() => true));
  console.log(`all runs are accepted ${Math.round(performance.now() - killedMs)} ms later`);
  let done = 0;
  for (const id of ids) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    await until(`${id} is over`, async () => {
      const record = await runs.result(id, { signal: AbortSignal.timeout(30_000) });
      done += record.status === 'done' ? 1 : 0;
      return true;
    });
  }
  const duplicated = [...entered].filter(([key, times]) => / p\d/.test(key) && times > 1).length;
  console.log(`${done} of ${count} runs done, payments entered twice: ${duplicated}`);
  process.exitCode = done === count && duplicated === 0 ? 0 : 1;
} finally {
  for (const node of nodes) node.kill('SIGKILL');
  await endpoint.close();
  rmSync(folder, { recursive: true, force: true });
}

function addressesOf(name: string): { readonly ingressUrl: string; readonly adminUrl: string } {
  const { ingress = 0, admin = 0 } = ports.get(name) ?? {};
  return { ingressUrl: `http://127.0.0.1:${ingress}`, adminUrl: `http://127.0.0.1:${admin}` };
}

/** Starts a node with the settings of its service; names of nodes become addresses of loopback. */
function startNode(name: string): ChildProcess {
  const onLoopback = (value: string): string =>
    value.replaceAll(/http:\/\/(restate-\d):5122/g, (_, node: string) => `http://127.0.0.1:${ports.get(node)?.node}`);
  const given = Object.entries(services[name]?.environment ?? {});
  const { node, ingress, admin } = ports.get(name) ?? {};
  return spawn(serverPath(), ['--no-logo'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...Object.fromEntries(given.map(([key, value]) => [key, onLoopback(value)])),
      DO_NOT_TRACK: '1',
      RESTATE_BASE_DIR: join(folder, name),
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: 'error',
    },
  });
}

/** Tries until something holds. */
async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 90_000;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      if (await check()) return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`Not in time: ${what}.`, { cause: error });
    }
    if (performance.now() > deadline) throw new Error(`Not in time: ${what}.`);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
