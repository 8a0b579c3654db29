import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const OPTIONS = { recursive: true, force: true, maxRetries: 3 } as const;

/** Removes a folder with everything in it, also folders that their owner may not write. Never rejects. */
export async function removeFolder(folder: string): Promise<void> {
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
