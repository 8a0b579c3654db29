#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { cacheFolder } from './config/folders.ts';
import { makePrivateFolder } from './files/paths.ts';

// Checked before anything else is imported: an older Node would fail there with a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`prompt-agent: needs Node 22.19 or later; this is ${process.version}.\n`);
  process.exit(2);
}

// Everything loaded from here on is compiled once and cached for later starts, in a folder that only the user can write to: it holds code.
const cache = cacheFolder({ env: process.env, home: homedir() });
if (makePrivateFolder(cache)) {
  const mask = process.umask(0o077);
  nodeModule.enableCompileCache(cache);
  process.umask(mask);
}
const { runProcess } = await import('./run-process.ts');
await runProcess();
