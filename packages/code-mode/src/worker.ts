/** The worker of `createWorkerSandbox`: runs one program after another, each in a machine of its own. */
import { errorMessage } from '@kernel/internal';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker, WorkerSetup } from './sandbox/worker-messages.ts';
import { createMachine, type Machine } from './sandbox/virtual-machine.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `createWorkerSandbox` starts it with
const { image, flags: shared } = workerData as WorkerSetup;
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
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    parentPort?.postMessage({ begun: true } satisfies FromWorker);
    return { state: started.resume('') };
  }
  const running = await machine;
  if (running === undefined) return undefined;
  if (message.type === 'resume') return { state: running.resume(message.results) };
  machine = undefined;
  running.dispose();
  return undefined;
}
