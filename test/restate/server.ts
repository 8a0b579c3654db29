import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Restate's server, on ports of its own and in a folder of its own. */
export interface TestServer {
  /** Where runs are started. */
  readonly ingressUrl: string;
  /** Where deployments are registered. */
  readonly adminUrl: string;
  /** Its process, as long as it runs. */
  pid(): number | undefined;
  /** Makes the services of an endpoint known. */
  register(this: void, url: string, options?: { readonly force?: boolean }): Promise<string>;
  /** Kills the server as a loss of power would, and resolves when it is gone. */
  kill(this: void): Promise<void>;
  /** Starts it again on what it has on its disk. */
  start(this: void): Promise<void>;
  /** Ends it and deletes its folder. */
  close(this: void): Promise<void>;
}

/** How a server of a test is set up. */
export interface TestServerOptions {
  /** Over how many partitions it spreads runs. Default 4. */
  readonly partitions?: number;
  /** Whether it notices lost workers within a second and tries again at once, instead of after Restate's own times. Default true. */
  readonly isEager?: boolean;
}

const EAGER = `[default-retry-policy]
initial-interval = "50ms"
max-interval = "500ms"
[worker.invoker]
http2-keep-alive-interval = "1s"
http2-keep-alive-timeout = "1s"
`;

/** Starts a server. Resolves when it takes requests. */
export async function startServer({ partitions = 4, isEager = true }: TestServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-'));
  const [node, ingress, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  const config = join(folder, 'restate.toml');
  writeFileSync(
    config,
    `base-dir = ${JSON.stringify(join(folder, 'data'))}
disable-telemetry = true
log-filter = "error"
default-num-partitions = ${partitions}
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${node}
advertised-host = "127.0.0.1"
${isEager ? EAGER : ''}[ingress]
bind-port = ${ingress}
[admin]
bind-port = ${admin}
disable-web-ui = true
`,
  );
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    // What it leaves in the temp folder when it is killed goes with its folder.
    const env = { ...process.env, DO_NOT_TRACK: '1', RESTATE_DISABLE_TELEMETRY: 'true', TMPDIR: folder };
    child = spawn(serverPath(), ['--config-file', config, '--no-logo'], { stdio: 'ignore', env });
    const deadline = Date.now() + 60_000;
    while (!(await isReady())) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error('The server did not start.');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  async function isReady(): Promise<boolean> {
    try {
      // Queries are answered last, when the partitions have their leaders.
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query: 'SELECT id FROM sys_invocation' });
      const [health, query] = await Promise.all([
        fetch(`${ingressUrl}/restate/health`),
        fetch(`${adminUrl}/query`, { method: 'POST', headers, body }),
      ]);
      return health.ok && query.ok;
    } catch {
      return false;
    }
  }
  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await gone;
  }

  // Whoever ends this process ends the server too.
  const endServer = (): void => void child?.kill('SIGKILL');
  process.once('exit', endServer);
  await start();
  return {
    ingressUrl,
    adminUrl,
    pid: () => child?.pid,
    async register(url, { force = true } = {}) {
      const body = JSON.stringify({ uri: url, force });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${adminUrl}/deployments`, { method: 'POST', headers, body });
      const text = await response.text();
      if (!response.ok) throw new Error(`The deployment was refused: ${text}`);
      return (JSON.parse(text) as { id: string }).id;
    },
    kill,
    start,
    async close() {
      process.off('exit', endServer);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}

/** Returns the path of the server, which npm has put beside its package. */
export function serverPath(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
  return require.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}
