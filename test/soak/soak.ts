/**
 * Runs mixed scenarios with faults against loopback servers, and checks for leaks: `node test/soak/soak.ts [--minutes 10]`.
 * Build first. Exits with 1 if a scenario ends unexpectedly, memory grows, or anything stays open.
 */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { slopeOf, type SoakReport } from './report.ts';

const MIB = 1024 * 1024;
/** How much the heap may grow, in MiB per minute. */
const MAX_SLOPE = 1;
/** How long a process may take to exit when its work is done, in milliseconds. */
const END_MS = 10_000;

/** How long a soak is: until the first of both. */
export interface SoakLength {
  /** Default: no limit. */
  readonly seconds?: number;
  /** Default: no limit. */
  readonly scenarios?: number;
}

/** The outcome of a soak test. */
export interface SoakOutcome extends SoakReport {
  /** Sockets still open at the servers after the end. */
  readonly openSockets: number;
  /** Milliseconds from the report of the process to its exit. */
  readonly endedAfterMs: number;
  /** The exit code of the process. */
  readonly code: number | null;
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Runs the servers and the worker in a process each. Rejects if the worker dies before it reports. */
export async function soak({ seconds = Infinity, scenarios = Infinity }: SoakLength): Promise<SoakOutcome> {
  const server = fork(path('server.ts'));
  try {
    const addresses = await answerOf<unknown>(server);
    const worker = fork(path('worker.ts'), [String(seconds), String(scenarios), JSON.stringify(addresses)], {
      execArgv: ['--expose-gc'],
    });
    const ended = new Promise<number | null>((resolve) => worker.once('exit', resolve));
    const report = await answerOf<SoakReport>(worker);
    const since = performance.now();
    const late = setTimeout(() => worker.kill('SIGKILL'), END_MS);
    const code = await ended;
    clearTimeout(late);
    const endedAfterMs = performance.now() - since;
    const counted = answerOf<{ readonly open: number }>(server);
    server.send('count');
    return { ...report, openSockets: (await counted).open, endedAfterMs, code };
  } finally {
    server.disconnect();
  }
}

function answerOf<T>(child: ReturnType<typeof fork>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`A process of the soak test exited with ${code}.`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T); // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own processes talk
    });
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const minutes = Number(values.minutes);
  if (!(minutes >= 4))
    throw new Error(`--minutes ${values.minutes}: must be at least 4, as memory is measured after the second minute.`);
  const outcome = await soak({ seconds: minutes * 60 });
  const first = outcome.samples[0];
  const last = outcome.samples.at(-1);
  const heapSlope = slopeOf(outcome.samples, 'heapBytes');
  console.log(
    `Node ${process.version}: ${outcome.played.toLocaleString('en-US')} scenarios in ${values.minutes} minutes`,
  );
  for (const [name, count] of Object.entries(outcome.outcomes).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${count} × ${name}`);
  console.log(
    `heap ${mib(first?.heapBytes)} → ${mib(last?.heapBytes)} MiB, ${heapSlope.toFixed(2)} MiB a minute after the second; ` +
      `resident ${mib(first?.rssBytes)} → ${mib(last?.rssBytes)} MiB, ${slopeOf(outcome.samples, 'rssBytes').toFixed(2)} a minute`,
  );
  console.log(
    `${outcome.openSockets} sockets left open; exited on its own after ${outcome.endedAfterMs.toFixed(0)} ms with ${outcome.code}`,
  );
  for (const problem of outcome.unexpected) console.log(`UNEXPECTED ${problem}`);
  const holds =
    outcome.unexpected.length === 0 && heapSlope < MAX_SLOPE && outcome.openSockets === 0 && outcome.code === 0;
  console.log(holds ? 'ok' : 'FAILED');
  process.exitCode = holds ? 0 : 1;
}

function mib(bytes = 0): string {
  return (bytes / MIB).toFixed(1);
}

if (import.meta.main) await main();
