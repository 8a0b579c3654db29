import { createRequire } from 'node:module';
import { RUNTIMES_FOLDER } from '../setup/runtimes.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** What is used of Miniflare, which is not of this workspace. */
interface Miniflare {
  dispatchFetch(url: string, init: object): Promise<Response>;
  dispose(): Promise<void>;
}

/** A module of a worker. */
export interface WorkerModule {
  /** What it is. */
  readonly type: 'ESModule' | 'CompiledWasm';
  /** Its name for imports. */
  readonly path: string;
  /** Its source, or its bytes. */
  readonly contents: string | Uint8Array;
}

/** Runs a worker in workerd, and resolves to its answer to one request. What Miniflare leaves in the temp folder is removed with the test's own. */
export async function askWorker(
  modules: readonly WorkerModule[],
  compatibilityFlags: readonly string[],
  body?: string,
): Promise<unknown> {
  const { Miniflare: Runtime } = createRequire(RUNTIMES_FOLDER)('miniflare') as {
    readonly Miniflare: new (options: object) => Miniflare;
  };
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporaryFolder('miniflare');
  const worker = new Runtime({ modules, compatibilityDate: '2026-04-01', compatibilityFlags });
  try {
    return await (await worker.dispatchFetch('http://worker/', { method: 'POST', body })).json();
  } finally {
    await worker.dispose();
    process.env['TMPDIR'] = before;
  }
}
