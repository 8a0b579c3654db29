import type { MachineImage } from './machine-image.ts';
import type { MachineProgram } from './virtual-machine.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  /** The engine and its prelude. */
  readonly image: MachineImage;
  /** Two numbers: not 0 once the program of the worker must end; and how often its program has asked. */
  readonly flags: SharedArrayBuffer;
}

/** What a worker is told: to start a program, to go on with it, or that it is over. */
export type ToWorker =
  | { readonly type: 'start'; readonly program: MachineProgram }
  | { readonly type: 'resume'; readonly results: string }
  | { readonly type: 'end' };

/** What a worker answers: the state of the program as text, or why there is none. */
export type Answer = { readonly state: string } | { readonly failure: string };

/** What a worker says: that a program has begun, or an answer. */
export type FromWorker = { readonly begun: true } | Answer;
