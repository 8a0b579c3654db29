/** The worker of `createWorkerSandbox`: runs one program after another, each in a machine of its own. */
import { errorMessage } from '@kernel/internal';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { SandboxResult } from '@kernel/protocol';
import { createMachine, type Machine, type MachineImage, type MachineProgram } from './sandbox/virtual-machine.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  /** The engine and its prelude. */
  readonly image: MachineImage;
  /** Two numbers: not 0 once the program of the worker must end; and how often its program has asked. */
  readonly shared: SharedArrayBuffer;
}

/** What a worker is told: to start a program, to go on with it, or that it is over. */
export type ToWorker =
  | { readonly type: 'start'; readonly program: MachineProgram }
  | { readonly type: 'resume'; readonly results: readonly SandboxResult[] }
  | { readonly type: 'end' };

/** What a worker answers: the state of the program as text, or why there is none. */
export type FromWorker = { readonly begun: true } | { readonly state: string } | { readonly failure: string };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `createWorkerSandbox` starts it with
const { image, shared } = workerData as WorkerSetup;
const flags = new Int32Array(shared);
let machine: Promise<Machine> | undefined;

if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  port.on('message', (message: ToWorker) => {
    void answer(message).then(
      (reply) => reply && port.postMessage(reply),
      (error: unknown) => port.postMessage({ failure: errorMessage(error) } satisfies FromWorker),
    );
  });
}

function isStopped(): boolean {
  Atomics.add(flags, 1, 1);
  return Atomics.load(flags, 0) !== 0;
}

async function answer(message: ToWorker): Promise<FromWorker | undefined> {
  if (message.type === 'start') {
    machine = createMachine(image, message.program, isStopped);
    const started = await machine;
    parentPort?.postMessage({ begun: true } satisfies FromWorker);
    return { state: started.resume([]) };
  }
  const running = await machine;
  if (running === undefined) return undefined;
  if (message.type === 'resume') return { state: running.resume(message.results) };
  machine = undefined;
  running.dispose();
  return undefined;
}
