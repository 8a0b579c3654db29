import { type Sandbox } from '@kernel/protocol';
import { loadEngine } from './engine.ts';
import { readState } from './read-state.ts';
import { resultsText } from './results-text.ts';
import type { MachineImage } from './machine-image.ts';
import { sandboxFailure } from './sandbox-failure.ts';
import { createMachine } from './virtual-machine.ts';

/** Options of `createInlineSandbox`. */
export interface InlineSandboxOptions {
  /** The engine, `quickjs-wasi/quickjs.wasm`, as a `WebAssembly.Module`, for runtimes without files. Default: it is read from the package. */
  readonly wasm?: object | undefined;
}

/**
 * Creates a sandbox that runs programs in the calling thread, for runtimes without worker threads, such as Cloudflare Workers. A program that computes
 * blocks the thread, for `limits.computeMs` at most, and an abort ends it only when it waits.
 */
export function createInlineSandbox(options: InlineSandboxOptions = {}): Sandbox {
  const { wasm } = options;
  let image: Promise<MachineImage> | undefined;
  return {
    async start(program) {
      const { signal } = program;
      signal.throwIfAborted();
      image ??= loadEngine(wasm);
      image.catch(() => (image = undefined));
      const machine = await createMachine(await image, program, () => signal.aborted);
      let isOpen = true;
      return {
        async resume(results) {
          signal.throwIfAborted();
          const text = resultsText(results);
          let state: string;
          try {
            state = machine.resume(text);
          } catch (error) {
            throw sandboxFailure(error);
          }
          signal.throwIfAborted();
          return readState(state);
        },
        close() {
          if (isOpen) machine.dispose();
          isOpen = false;
        },
      };
    },
  };
}
