import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithProcess } from './shell.ts';

/** A registry on 127.0.0.1. */
export interface LoopbackRegistry {
  /** Its address, with the closing slash. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Has no uplink: it knows what was published to it and nothing else, and anybody on this machine may publish. */
const config = (port: number): string => `
storage: ./storage
listen: 127.0.0.1:${port}
uplinks: {}
packages: { '@kernel/*': { access: $all, publish: $all } }
auth: { htpasswd: { file: ./htpasswd, max_users: -1 } }
web: { enable: false }
log: { type: stdout, format: json, level: error }
`;

/** Starts verdaccio, as installed in `modules`, with its files in `folder`. Throws with its log when it does not answer within a minute. */
export async function startRegistry(modules: string, folder: string): Promise<LoopbackRegistry> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const log = join(folder, 'log.txt');
  writeFileSync(join(folder, 'config.yaml'), config(port));
  const output = openSync(log, 'w');
  const program = join(modules, 'verdaccio/bin/verdaccio');
  const server = spawn(process.execPath, [program, '--config', 'config.yaml'], {
    cwd: folder,
    stdio: ['ignore', output, output],
  });
  const exited = once(server, 'exit');
  const stop = endWithProcess(server);
  const close = async (): Promise<void> => {
    stop();
    server.kill();
    await exited;
  };
  const url = `http://127.0.0.1:${port}/`;
  for (let tries = 0; tries < 600 && server.exitCode === null; tries += 1) {
    const answer = await fetch(`${url}-/ping`).catch(() => undefined);
    if (answer?.ok) return { url, close };
    await sleep(100);
  }
  server.kill();
  throw new Error(`The registry does not answer at ${url}: ${readFileSync(log, 'utf8')}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
