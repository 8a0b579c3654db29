#!/usr/bin/env node
import { lstatSync, rmSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { cacheFolder } from './config/folders.ts';

// Checked before anything else is imported: an older Node would fail there with a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`prompt-agent: needs Node 22.19 or later; this is ${process.version}.\n`);
  process.exit(2);
}

// Everything loaded from here on is compiled once and cached for later starts, in a folder that only the user can
// enter: it holds code.
const cache = cacheFolder({ env: process.env, home: homedir() });
const mask = process.umask(0o077);
try {
  const { mode = 0, uid } = lstatSync(cache, { throwIfNoEntry: false }) ?? {};
  if (uid === undefined || uid === (process.getuid?.() ?? uid)) {
    // What others could write is not used.
    if (process.getuid && mode & 0o077) rmSync(cache, { force: true, recursive: true });
    nodeModule.enableCompileCache(cache);
  }
} catch {
  // Without it, the program starts more slowly.
}
process.umask(mask);
const { runProcess } = await import('./run-process.ts');
await runProcess();
