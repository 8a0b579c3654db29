#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { cacheFolder } from './config/folders.ts';

// What is loaded later does not load at all in an older Node, which says so in words of its own.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`prompt-agent: needs Node 22.19 or later; this is ${process.version}.\n`);
  process.exit(2);
}

// What is loaded from here on is compiled once for all starts. In a folder that only the user can write: it holds code.
nodeModule.enableCompileCache(cacheFolder({ env: process.env, home: homedir() }));
const { runProcess } = await import('./run-process.ts');
await runProcess();
