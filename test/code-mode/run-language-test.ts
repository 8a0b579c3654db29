/** Runs a test of test262 as a program: in the sandbox, and in a realm of its own in Node. Each says why the test fails there, or nothing. */
import { constants, createContext, Script } from 'node:vm';
import { createInlineSandbox } from '@kernel/code-mode';
import type { LanguageTest } from './test262-suite.ts';

const NAMES = 'tools, console, text, image, store, load, sleep, find_tools, describe_tool';
const COMPUTE_MS = 10_000;
const limits = {
  memoryBytes: 64 << 20,
  computeMs: COMPUTE_MS,
  stackBytes: 256 << 10,
  calls: 0,
  outputCharacters: 1e6,
  sleepMs: 0,
};
const { signal } = new AbortController();
const sandbox = createInlineSandbox();

/** Why a test fails in the sandbox. */
export async function failsInSandbox({ source, error }: LanguageTest): Promise<string | undefined> {
  const run = await sandbox.start({ source, tools: [], startedAt: 1e12, seed: 1, stored: {}, limits, signal });
  try {
    const state = await run.resume([]);
    return state.type === 'end' ? verdict(state.error, error) : `It does not end, but waits for ${state.type}.`;
  } catch (crash) {
    return String(crash);
  } finally {
    run.close();
  }
}

/** Why a test fails in Node. */
export function failsInNode({ source, error }: LanguageTest): string | undefined {
  const context = createContext(constants.DONT_CONTEXTIFY, { microtaskMode: 'afterEvaluate' });
  let ended: { readonly error?: string } | undefined;
  Reflect.set(context, '$$end', (isError: boolean, thrown: unknown) => {
    ended = isError ? { error: describe(thrown) } : {};
  });
  // The form that the sandbox gives a program.
  const program = `(async (${NAMES}) => {'use strict';{${source}\n}})`;
  const start = `((end, then, apply, program) => {
    delete globalThis.$$end;
    apply(then, program(), [() => end(false), (error) => end(true, error)]);
  })($$end, Promise.prototype.then, Reflect.apply, `;
  try {
    new Script(`${start}${program})`).runInContext(context, { timeout: COMPUTE_MS });
  } catch (thrown) {
    return verdict(describe(thrown), error);
  }
  return ended === undefined ? 'It does not end.' : verdict(ended.error, error);
}

/** As the sandbox writes what a program throws. */
function describe(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'name' in thrown && 'message' in thrown)
    return `${String(thrown.name)}: ${String(thrown.message)}`;
  return `Thrown: ${JSON.stringify(thrown)}`;
}

/** What is wrong with how a test ended: with the error `found`, where `expected` names the one that it must end with. */
function verdict(found: string | undefined, expected: string | undefined): string | undefined {
  if (expected === undefined) return found;
  if (found === undefined) return `It ends without the ${expected} that it must throw.`;
  // An error of the suite has no name of its own.
  const isExpected = found.startsWith(expected === 'Test262Error' ? 'Thrown: {' : `${expected}: `);
  return isExpected ? undefined : found;
}
