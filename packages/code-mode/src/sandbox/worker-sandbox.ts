import { nodeModule, onAbort } from '@kernel/internal';
import { checkNumber, KernelError, type Sandbox, type SandboxProgram, type SandboxRun } from '@kernel/protocol';
import type { Worker } from 'node:worker_threads';
import type { Answer, FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts';
import { loadEngine } from './engine.ts';
import { readState } from './read-state.ts';
import type { MachineImage } from './machine-image.ts';
import { resultsText } from './results-text.ts';
import { sandboxFailure } from './sandbox-failure.ts';

/** Options of `createWorkerSandbox`. */
export interface WorkerSandboxOptions {
  /** How many workers are kept for the next programs. They hold no process open. Default 1. */
  readonly idle?: number | undefined;
}

/** A worker, and what tells the machine in it to stop. */
interface Warm {
  readonly worker: Worker;
  /** As in `WorkerSetup`. */
  readonly flags: Int32Array;
}

/**
 * How long a program may not ask whether it is to stop before its worker is ended, once its time of computation is over: longer than a busy machine keeps a thread
 * waiting, since what a program has written is lost with its worker.
 */
const GRACE_MS = 1000;

/**
 * Creates a sandbox that runs each program in QuickJS in a worker of its own, on Node, Deno and Bun. A program that computes never holds up the calling
 * thread. A worker is used again for the next program, in a machine that is new; one whose program was stopped is ended.
 */
export function createWorkerSandbox(options: WorkerSandboxOptions = {}): Sandbox {
  const { idle = 1 } = options;
  checkNumber('createWorkerSandbox', 'idle', idle, 0);
  const threads = nodeModule('node:worker_threads');
  const free: Warm[] = [];
  let isClosed = false;
  let shared: Promise<MachineImage> | undefined;

  const startWorker = async (): Promise<Warm> => {
    if (threads === undefined)
      throw new KernelError('CONFIG_INVALID', 'This runtime has no worker threads.', {
        hint: 'Pass createInlineSandbox() as `sandbox`.',
      });
    shared ??= loadEngine().then(shareMemory);
    shared.catch(() => (shared = undefined));
    const image = await shared;
    const flags = new SharedArrayBuffer(8);
    const workerData: WorkerSetup = { image, flags };
    const worker = new threads.Worker(workerUrl(), {
      workerData,
      env: {},
      stdin: false,
      resourceLimits: { stackSizeMb: 4, maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    const warm: Warm = { worker, flags: new Int32Array(flags) };
    // One that ends while it waits is not there for the next program, and is nobody's error.
    worker.on('error', ignore).once('exit', () => {
      if (free.includes(warm)) free.splice(free.indexOf(warm), 1);
    });
    return warm;
  };
  const keep = (warm: Warm): void => {
    if (isClosed || free.length >= idle) void warm.worker.terminate();
    else free.push(warm);
  };

  return {
    async start(program) {
      program.signal.throwIfAborted();
      return runIn(free.pop() ?? (await startWorker()), program, keep);
    },
    async close() {
      isClosed = true;
      await Promise.all(free.splice(0).map(({ worker }) => worker.terminate()));
    },
  };
}

/** The same image for any number of workers, none of which has a copy. */
function shareMemory(image: MachineImage): MachineImage {
  const { memory } = image.snapshot;
  const shared = new Uint8Array(new SharedArrayBuffer(memory.byteLength));
  shared.set(memory);
  return { ...image, snapshot: { ...image.snapshot, memory: shared } };
}

/** A program in its worker. `keep` gets the worker if the next program can have it. */
function runIn(warm: Warm, { signal, ...program }: SandboxProgram, keep: (warm: Warm) => void): SandboxRun {
  const { worker, flags } = warm;
  let hasStarted = false;
  let isOver = false;
  let settle: ((reply: Answer | { readonly error: unknown }) => void) | undefined;

  const onMessage = (reply: FromWorker): void => {
    if ('begun' in reply) watch();
    else settle?.(reply);
  };
  const onError = (error: unknown): void => end({ error: sandboxFailure(error) });
  const onExit = (): void => end({ error: sandboxFailure(new Error('its worker ended')) });
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);

  const leave = (): void => {
    isOver = true;
    removeAbortListener();
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    worker.unref();
  };
  /** Ends the worker: what its program does then is nobody's concern. */
  const end = (reply: { readonly error: unknown }): void => {
    if (isOver) return;
    Atomics.store(flags, 0, 1);
    leave();
    void worker.terminate();
    settle?.(reply);
  };
  const removeAbortListener = onAbort(signal, () => end({ error: signal.reason }));

  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The machine ends a program that computes too long. It cannot where it is within one long operation of the language: then its worker is ended. */
  const watch = (asked = -1, ms = program.limits.computeMs): void => {
    timer = setTimeout(() => {
      const now = Atomics.load(flags, 1);
      if (now !== asked) return watch(now, GRACE_MS);
      end({ error: sandboxFailure(new Error(`the program computed for more than ${program.limits.computeMs} ms`)) });
    }, ms);
  };
  const ask = (message: ToWorker): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (message.type === 'resume') watch();
      worker.ref();
      settle = (reply) => {
        settle = undefined;
        clearTimeout(timer);
        worker.unref();
        if ('error' in reply) reject(reply.error);
        else resolve(reply);
      };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
      worker.postMessage(message);
    });

  return {
    async resume(results) {
      signal.throwIfAborted();
      const message: ToWorker = hasStarted
        ? { type: 'resume', results: resultsText(results) }
        : { type: 'start', program };
      hasStarted = true;
      const reply = await ask(message);
      if ('failure' in reply) {
        const error = sandboxFailure(new Error(reply.failure));
        // Whatever is wrong with its machine is not to reach the next program.
        end({ error });
        throw error;
      }
      return readState(reply.state);
    },
    close() {
      if (isOver) return;
      if (settle !== undefined) return end({ error: sandboxFailure(new Error('it was closed')) });
      leave();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
      worker.postMessage({ type: 'end' } satisfies ToWorker);
      keep(warm);
    },
  };
}

function ignore(): void {}

/** The module of this package that runs in the worker. */
function workerUrl(): URL {
  return new URL(import.meta.resolve('#worker'));
}
