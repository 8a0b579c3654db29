import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { playScenario, type Scenario } from '../fixture/client.ts';

/** What one scenario of `@modelcontextprotocol/conformance` came to. */
export interface ScenarioOutcome {
  readonly scenario: string;
  /** Checks that passed. A scenario without any proves nothing, and counts as failed. */
  readonly passed: number;
  /** Whether the suite itself skipped all of it: it has no check for it yet. */
  readonly isSkipped: boolean;
  /** Checks that failed or gave a warning, in the suite's words. */
  readonly faults: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

const COMMAND = fileURLToPath(new URL('../fixture/client-command.ts', import.meta.url));
const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/** The revisions of the specification whose requirements the suite knows. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** What the suite prints of the requirements of a revision, asked for once. */
const listings = new Map<Revision, Promise<{ readonly output: string }>>();

/** Returns the names of the scenarios that a revision requires of servers or clients. */
export async function requiredScenarios(side: 'server' | 'client', revision: Revision): Promise<readonly string[]> {
  const listing = listings.get(revision) ?? runCli(['list', '--requirements', revision]);
  listings.set(revision, listing);
  const { output: printed } = await listing;
  const sections = printed.split(/^(?=Server scenarios|Client scenarios|Run and reported)/m);
  const output = sections.find((section) => section.toLowerCase().startsWith(side)) ?? '';
  return [...output.matchAll(/^ {2}- (\S+)/gm)].flatMap(([, name]) => name ?? []);
}

/** Runs the scenarios of a revision against the server at `url`. */
export async function runServerSuite(url: string, revision: Revision): Promise<readonly ScenarioOutcome[]> {
  return collect(['server', '--url', url, '--requirements', revision], 'server-');
}

/** Runs the scenarios of a revision against `fixture/client.ts`. */
export function runClientSuite(revision: Revision): Promise<readonly ScenarioOutcome[]> {
  return runClient(['--requirements', revision]);
}

/** What no revision requires: the extensions of clients, which are ways to sign in, and signing in as before the first revision with it. */
export const SUITES_BEYOND = ['extensions', 'backcompat'] as const;

/** Runs a suite of scenarios that no revision requires against `fixture/client.ts`. */
export function runSuiteBeyond(suite: (typeof SUITES_BEYOND)[number]): Promise<readonly ScenarioOutcome[]> {
  return runClient(['--suite', suite]);
}

/** Runs scenarios against `fixture/client.ts`, which plays all of them in this process: the command that the suite starts for each only asks for it. */
async function runClient(scenarios: readonly string[]): Promise<readonly ScenarioOutcome[]> {
  const host = createServer({ allowHalfOpen: true }, play).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const address = host.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    // The suite gives it to a shell.
    const command = `"${process.execPath}" "${COMMAND}" ${port}`;
    return await collect(['client', ...scenarios, '--timeout', '60000', '--command', command], '');
  } finally {
    host.close();
  }
}

/** Plays the scenario that a command asks for, and answers what was wrong: nothing if it went well. */
function play(socket: Socket): void {
  let asked = '';
  socket
    .setEncoding('utf8')
    .on('error', () => undefined)
    .on('data', (piece: string) => {
      asked += piece;
    })
    .on('end', () => {
      const played = Promise.resolve().then(() => playScenario(JSON.parse(asked) as Scenario));
      void played.then(
        () => socket.end(),
        (error: unknown) => socket.end(inspect(error)),
      );
    });
}

/** Says whether a scenario passed: no failure, no warning, and something was checked. */
export function hasPassed({ passed, faults }: ScenarioOutcome): boolean {
  return passed > 0 && faults.length === 0;
}

/** Runs the suite's program and reads the checks that it leaves in a folder for each scenario. */
async function collect(args: readonly string[], prefix: string): Promise<readonly ScenarioOutcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const { output } = await runCli([...args, '-o', folder]);
    const outcomes = globSync('**/checks.json', { cwd: folder }).map((file): ScenarioOutcome => {
      const checks = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Check[];
      return {
        scenario: dirname(file)
          .slice(prefix.length)
          .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
        isSkipped: checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED'),
        passed: checks.filter(({ status }) => status === 'SUCCESS').length,
        faults: checks
          .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
          .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ''}`),
      };
    });
    if (outcomes.length === 0) throw new Error(`The conformance suite ran nothing:\n${output}`);
    return outcomes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How long the whole suite may take. */
const SUITE_MS = 120_000;

function runCli(args: readonly string[]): Promise<{ readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { timeout: SUITE_MS }, (_error, stdout, stderr) =>
      resolve({ output: stdout + stderr }),
    );
  });
}
