import { rmSync } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, guardExit, hasEnded, ownIdentity, sha256Hex } from '@kernel/internal';

const OPTIONS = { recursive: true, force: true, maxRetries: 3 } as const;

/** Removes a folder with everything in it, also folders that their owner may not write. Never rejects. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, OPTIONS).catch(async () => {
    await makeWritable(folder);
    await rm(folder, OPTIONS).catch(() => undefined);
  });
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await Promise.all(entries.filter((each) => each.isDirectory()).map(({ name }) => makeWritable(join(folder, name))));
}

/** A folder for a copy, whose name says which process it is of. */
interface TemporaryFolder {
  /** Its absolute path, without links. */
  readonly folder: string;
  /** Removes it. */
  readonly close: () => Promise<void>;
}

const NAME = /^kernel-agent-(\d+)-([0-9a-f]{8})-/;

/** Creates a folder that only this user can open. It is removed when this program ends, unless that is killed: then the next one that makes a copy removes it. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  await removeLeftBehind().catch(() => undefined);
  const folder = await realpath(await mkdtemp(join(tmpdir(), `kernel-agent-${process.pid}-${systemMark()}-`)));
  const unguard = guardExit(() => attempt(() => rmSync(folder, { recursive: true, force: true })));
  return {
    folder,
    close: async () => {
      await removeFolder(folder);
      unguard();
    },
  };
}

/** Removes the copies of processes that have ended: of this user, and of this system, in which an id of a process means the same. */
async function removeLeftBehind(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names) {
    const [, pid, mark] = NAME.exec(name) ?? [];
    if (mark !== systemMark() || !hasEnded({ ...ownIdentity(), start: undefined, pid: Number(pid) })) continue;
    const folder = join(tmpdir(), name);
    const info = await lstat(folder).catch(() => undefined);
    if (info?.isDirectory() !== true || (process.getuid !== undefined && info.uid !== process.getuid())) continue;
    await removeFolder(folder);
  }
}

/** Tells the systems apart whose processes are counted apart, such as those of containers that share a folder. */
function systemMark(): string {
  const { host, machine, namespace } = ownIdentity();
  return sha256Hex(JSON.stringify([host, machine, namespace])).slice(0, 8);
}
