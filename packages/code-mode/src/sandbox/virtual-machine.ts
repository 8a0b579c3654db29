import { isObject, parseJson } from '@kernel/internal';
import { KernelError, type SandboxProgram, type SandboxResult } from '@kernel/protocol';
import { EvalFlags, Intrinsics, type JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi';
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
type FunctionName = 'begin' | 'resume' | 'wake' | 'stop' | 'state';

/** What a machine gets of a program. Its signal stays outside. */
export type MachineProgram = Omit<SandboxProgram, 'signal'>;

/** The machine of one program. */
export interface Machine {
  /** As `SandboxRun.resume`; the state as JSON text, which comes from the program and is yet to be checked. */
  resume(results: readonly SandboxResult[]): string;
  /** Releases the memory. */
  dispose(): void;
}

const INTRINSICS = Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE;
const PARAMETERS = 'tools, console, text, image, store, load, sleep, find_tools, describe_tool';

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
    state: token('state'),
  };
  const snapshot = vm.snapshot();
  vm.dispose();
  return { module, snapshot, functions };
}

/** Creates the machine of a program. `isAborted` is asked again and again while the program computes. */
export async function createMachine(
  image: MachineImage,
  program: MachineProgram,
  isAborted: () => boolean,
): Promise<Machine> {
  const { limits } = program;
  let slept = 0;
  let computedMs = 0;
  let since = 0;
  let isOverTime = false;
  let isStopped = false;
  const vm = await QuickJS.restore(image.snapshot, {
    wasm: image.module,
    wasi: clockOf(() => program.startedAt + slept),
    memoryLimit: limits.memoryBytes,
    maxStackSize: limits.stackBytes,
    timezoneOffset: 0,
    interruptHandler: () => {
      if (isStopped) return false;
      if (isAborted()) return true;
      isOverTime ||= computedMs + performance.now() - since > limits.computeMs;
      return isOverTime;
    },
  });
  const functionOf = (name: FunctionName): JSValueHandle => vm.importHandle(image.functions[name]);
  const begin = functionOf('begin');
  const resume = functionOf('resume');
  const wake = functionOf('wake');
  const stop = functionOf('stop');
  const state = functionOf('state');
  let hasBegun = false;
  let toSleep = 0;

  const call = (which: JSValueHandle, ...args: readonly JSValueHandle[]): string => {
    const result = vm.callFunction(which, vm.undefined, ...args);
    for (const arg of args) arg.dispose();
    const text = vm.typeof(result) === 'string' ? result.toString() : '';
    result.dispose();
    return text;
  };

  const start = (): void => {
    const { source, tools, seed, stored } = program;
    const json = JSON.stringify({ tools, seed, stored, limits });
    // On one line with its first line, so that the lines of errors are those of the program; in a block, so that it can have variables of these names.
    const body = vm.evalCode(`(async (${PARAMETERS}) => {{${source}\n}})`, 'program.js', EvalFlags.STRICT);
    call(begin, vm.newString(json), body);
  };

  const go = (results: readonly SandboxResult[]): string => {
    if (!hasBegun) {
      hasBegun = true;
      start();
    } else if (toSleep > 0 || results.length === 0) {
      slept += toSleep;
      call(wake, vm.newNumber(toSleep));
    } else call(resume, vm.newString(JSON.stringify(results)));
    vm.executePendingJobs();
    const text = call(state);
    toSleep = sleepOf(text);
    return text;
  };

  /** The end of a program that was stopped: its machine can still say what it wrote and kept. */
  const endWith = (error: string): string => {
    isStopped = true;
    try {
      call(stop, vm.newString(error));
      return call(state);
    } catch {
      return JSON.stringify({ type: 'end', output: [], error, stored: {} });
    }
  };

  return {
    resume(results) {
      since = performance.now();
      try {
        const text = go(results);
        return isOverTime ? endWith(timeError(limits.computeMs)) : text;
      } catch (error) {
        // A trap of the engine: the machine is of no use any more.
        if (error instanceof Error && error.name === 'RuntimeError')
          throw new KernelError('TOOL_FAILED', `The sandbox failed: ${errorText(error)}.`, { cause: error });
        return endWith(isOverTime ? timeError(limits.computeMs) : errorText(error));
      } finally {
        computedMs += performance.now() - since;
      }
    },
    dispose: () => vm.dispose(),
  };
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function timeError(computeMs: number): string {
  return `Error: The program computed for more than ${computeMs} ms. Let the tools filter and count.`;
}

function sleepOf(text: string): number {
  if (!text.startsWith('{"type":"sleep"')) return 0;
  const state = parseJson(text);
  const sleepMs = isObject(state) ? state['sleepMs'] : undefined;
  return typeof sleepMs === 'number' && sleepMs > 0 ? sleepMs : 0;
}

/** The clock of a machine, in milliseconds: it stands still while the program runs. */
function clockOf(now: () => number) {
  return (memory: { readonly buffer: ArrayBuffer }) => ({
    clock_time_get(_id: number, _precision: bigint, at: number): number {
      new DataView(memory.buffer).setBigUint64(at, BigInt(Math.trunc(now() * 1e6)), true);
      return 0;
    },
    fd_write(_fd: number, _texts: number, _count: number, at: number): number {
      new DataView(memory.buffer).setUint32(at, 0, true);
      return 0;
    },
  });
}
