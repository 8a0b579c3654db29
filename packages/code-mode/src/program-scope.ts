import { createAsyncStorage } from '@kernel/internal';

const programs = createAsyncStorage<object>();

/** Runs a program, so that whoever is asked about its calls can tell which program makes them. */
export function runAsProgram<T>(work: () => T): T {
  return programs.run({}, work);
}

/** The program that is running: the same object for all of its calls, and another for each program. Undefined outside of programs. */
export function currentProgram(): object | undefined {
  return programs.getStore();
}
