#!/usr/bin/env node
import { homedir } from 'node:os';
import { main } from './main.ts';

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

process.exitCode = await main({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
process.off('SIGINT', onSignal);
process.off('SIGTERM', onSignal);
