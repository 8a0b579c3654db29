/**
 * Packs every published package and checks the tarballs with publint and "Are the types wrong?": `pnpm check`, after a build. Prints every fault; exits 1 if there
 * is one. In one process: loading the compiler takes longer than what it checks.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packAll } from './lib/tarballs.ts';

/** How a package is not meant to be loaded: the packages are ES modules alone. */
const IGNORED: ReadonlySet<unknown> = new Set(['node10', 'node16-cjs']);

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'kernel-check-'));
try {
  const tarballs = packAll(root, scratch);
  let count = 0;
  for (const [name, file] of tarballs) {
    const data = readFileSync(file);
    // oxlint-disable-next-line no-await-in-loop -- one compiler
    for (const fault of [...(await manifestFaults(data)), ...(await typeFaults(data))]) {
      console.error(`${name}: ${fault}`);
      count += 1;
    }
  }
  console.log(`${tarballs.size} packages, ${count} faults`);
  if (count > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function manifestFaults(data: Buffer): Promise<readonly string[]> {
  const tarball = new Uint8Array(data).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function typeFaults(data: Buffer): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
  if (result.types === false) return ['has no types'];
  return result.problems.filter((problem) => !isIgnored(problem)).map((problem) => JSON.stringify(problem));
}

function isIgnored(problem: Problem): boolean {
  return 'resolutionKind' in problem && IGNORED.has(problem.resolutionKind);
}
