import { KernelError } from '@kernel/protocol';
import { nodeModule } from '@kernel/internal';
import { type CompiledEngine, createImage, type MachineImage } from './machine-image.ts';

/** The types of `WebAssembly` are not among those of every runtime. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the specification has it
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };
};

let loaded: Promise<MachineImage> | undefined;

/**
 * Loads QuickJS and evaluates the prelude, once in a process. `compiled` is the engine, for runtimes without files, such as Cloudflare Workers.
 * Rejects with `CONFIG_INVALID` where it cannot be loaded.
 */
export function loadEngine(compiled?: CompiledEngine): Promise<MachineImage> {
  if (compiled !== undefined) return createImage(compiled);
  loaded ??= readEngine().then(createImage);
  loaded.catch(() => (loaded = undefined));
  return loaded;
}

async function readEngine(): Promise<CompiledEngine> {
  try {
    const fs = nodeModule('node:fs/promises');
    if (fs === undefined) throw new Error('this runtime has no files');
    const bytes = await fs.readFile(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm')));
    return await wasm.compile(bytes);
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', 'QuickJS could not be loaded.', {
      cause: error,
      hint: 'Pass the compiled module of quickjs-wasi/quickjs.wasm as `wasm`.',
    });
  }
}
