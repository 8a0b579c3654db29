import { Intrinsics, QuickJS, type Snapshot } from 'quickjs-wasi';
import { clockOf } from './clock.ts';
import { PRELUDE } from './prelude.ts';

/** A `WebAssembly.Module`: its type is not among those of every runtime. */
export type CompiledEngine = object;

/** QuickJS with the prelude evaluated, from which the machine of each program is copied. */
export interface MachineImage {
  /** The compiled engine. */
  readonly module: CompiledEngine;
  /** The memory of the machine. */
  readonly snapshot: Snapshot;
  /** Where the functions of the prelude are in it. */
  readonly functions: Readonly<Record<FunctionName, number>>;
}

/** The functions of the prelude. */
export type FunctionName = 'begin' | 'resume' | 'wake' | 'stop' | 'reject' | 'state';

const INTRINSICS = Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE;

/** Makes the image, once for any number of programs: a copy of it starts in a tenth of the time. */
export async function createImage(module: CompiledEngine): Promise<MachineImage> {
  const vm = await QuickJS.create({ wasm: module, wasi: clockOf(() => 0), intrinsics: INTRINSICS, timezoneOffset: 0 });
  const made = vm.evalCode(PRELUDE, 'prelude.js');
  const token = (name: FunctionName): number => vm.exportHandle(made.getProp(name));
  const functions = {
    begin: token('begin'),
    resume: token('resume'),
    wake: token('wake'),
    stop: token('stop'),
    reject: token('reject'),
    state: token('state'),
  };
  const snapshot = vm.snapshot();
  vm.dispose();
  return { module, snapshot, functions };
}
