import { isObject, parseJson } from '@kernel/internal';
import type { SandboxProgram } from '@kernel/protocol';
import { EvalFlags, type JSValueHandle, QuickJS } from 'quickjs-wasi';
import { RETURN } from '../program/parse-program.ts';
import { clockOf } from './clock.ts';
import type { FunctionName, MachineImage } from './machine-image.ts';

/** What a machine gets of a program. Its signal stays outside. */
export type MachineProgram = Omit<SandboxProgram, 'signal'>;

/** The machine of one program. */
export interface Machine {
  /**
   * As `SandboxRun.resume`, with the text of `resultsText`; the state as JSON text, which comes from the program and is yet to be checked. Throws what the engine traps with, after which the
   * machine is of no use.
   */
  resume(results: string): string;
  /** Releases the memory. */
  dispose(): void;
}

/** What stands before a program: on one line with its first line, so that the lines of errors are those of the program; with a block, so that it can have variables of these names. */
const HEAD = '(async (tools, console, text, image, store, load, sleep, find_tools, describe_tool) => {{';

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
    onUnhandledRejection: (promise: JSValueHandle, reason: JSValueHandle, isHandled: boolean) => {
      try {
        vm.callFunction(reject, vm.undefined, promise, reason, isHandled ? vm.true : vm.false).dispose();
      } catch {
        // The program is over its time or its memory, which ends it.
      }
    },
  });
  const functionOf = (name: FunctionName): JSValueHandle => vm.importHandle(image.functions[name]);
  const begin = functionOf('begin');
  const resume = functionOf('resume');
  const wake = functionOf('wake');
  const stop = functionOf('stop');
  const reject = functionOf('reject');
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
    const headLength = HEAD.length + (source.startsWith(RETURN) ? RETURN.length : 0);
    const json = JSON.stringify({ tools, seed, stored, limits, headLength });
    const body = vm.evalCode(`${HEAD}${source}\n}})`, 'program.js', EvalFlags.STRICT);
    call(begin, vm.newString(json), body);
  };

  const go = (results: string): string => {
    if (!hasBegun) {
      hasBegun = true;
      start();
    } else if (toSleep > 0 || results === '') {
      slept += toSleep;
      call(wake, vm.newNumber(toSleep));
    } else call(resume, vm.newString(results));
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
          throw new Error(errorText(error), { cause: error });
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
