#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { cacheFolder } from './config/folders.ts';
import { main } from './main.ts';

// What is loaded later does not load at all in an older Node, which says so in words of its own.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`prompt-agent: needs Node 22.19 or later; this is ${process.version}.\n`);
  process.exit(2);
}

// What is loaded from here on is compiled once for all starts. In a folder that only the user can write: it holds code.
nodeModule.enableCompileCache(cacheFolder({ env: process.env, home: homedir() }));

// How long a clean stop may take after Ctrl-C before the process exits anyway.
const GRACE_MS = 800;

const stop = new AbortController();
const onSignal = () => {
  if (stop.signal.aborted) process.exit(130);
  stop.abort(new Error('interrupted'));
  setTimeout(() => process.exit(130), GRACE_MS).unref();
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

process.exitCode = await main({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: currentFolder(),
  home: homedir(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
process.off('SIGINT', onSignal);
process.off('SIGTERM', onSignal);
