/** The programs of a model in a Worker, in its own thread: the outcome is that of the response. */
import { createInlineSandbox } from '@kernel/code-mode';
// @ts-expect-error -- the engine, compiled by the runtime
import wasm from './quickjs.wasm';
import { runPrograms } from './run-program.ts';

export default {
  async fetch(): Promise<Response> {
    return Response.json(await runPrograms(createInlineSandbox({ wasm: wasm as object })));
  },
};
