// What a program of a model costs: through our toolset, in our sandbox alone, in those of pi and TanStack AI (of test/code-mode), and in Node's vm, which is no boundary.
// Each contender has a process of its own; medians. `node src/code-mode.js --one NAME` measures one.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measure, median } from './measure.js';

const NAMES = ['ours', 'ours, sandbox alone', 'pi', 'tanstack', 'node:vm'];
const ROUNDS = 9;
const echo = async (input) => input;
const loadPeer = (file) => import(new URL(`../../test/code-mode/node_modules/${file}`, import.meta.url).href);
const limits = {
  memoryBytes: 64 << 20,
  computeMs: 30_000,
  stackBytes: 256 << 10,
  calls: 1e6,
  outputCharacters: 4e6,
  sleepMs: 0,
};

/** Each gives `run(code)`, which resolves to what the program returns. */
const MAKE = {
  async ours() {
    const [{ withCodeMode }, { bindTool, createRegistry }, { callTool }] = await Promise.all(
      ['code-mode', 'tools', 'protocol'].map(ours),
    );
    const tool = { name: 'echo', description: 'Returns its input.', parameters: { type: 'object' }, effect: 'read' };
    const tools = withCodeMode(createRegistry([bindTool(tool, echo)]), { limits: { ...limits, callsAtOnce: 1000 } });
    const { signal } = new AbortController();
    return async (code) => {
      const args = JSON.stringify({ code });
      const result = await callTool(
        tools,
        { type: 'tool-call', id: '1', name: 'run_code', arguments: args },
        { signal },
      );
      if (result.isError) throw new Error(result.forLLM);
      return result.data;
    };
  },
  async 'ours, sandbox alone'() {
    const { createWorkerSandbox } = await ours('code-mode');
    const sandbox = createWorkerSandbox();
    const { signal } = new AbortController();
    const tools = [{ name: 'echo', declaration: 'echo(input: unknown): Promise<unknown>;' }];
    return async (source) => {
      const run = await sandbox.start({ source, tools, startedAt: 0, seed: 1, stored: {}, limits, signal });
      let state = await run.resume([]);
      while (state.type === 'calls') {
        // oxlint-disable-next-line no-await-in-loop -- one state after the other
        state = await run.resume(
          await Promise.all(
            state.calls.map(async ({ input }) => ({ value: JSON.stringify(await echo(JSON.parse(input))) })),
          ),
        );
      }
      run.close();
      if (state.error) throw new Error(state.error);
      return state.value === undefined ? undefined : JSON.parse(state.value);
    };
  },
  async pi() {
    const { CodemodeSandbox } = await loadPeer('@earendil-works/pi-codemode/dist/index.js');
    const sandbox = new CodemodeSandbox({ tools: [{ name: 'echo', execute: echo }], timeoutMs: 60_000 });
    return async (code) => {
      const result = await sandbox.execute(code);
      if (!result.ok) throw new Error(result.error.message);
      return result.value;
    };
  },
  async tanstack() {
    const { createQuickJSIsolateDriver } = await loadPeer('@tanstack/ai-isolate-quickjs/dist/esm/index.js');
    const driver = createQuickJSIsolateDriver({ timeout: 60_000 });
    const bindings = { echo: { name: 'echo', description: '', inputSchema: { type: 'object' }, execute: echo } };
    return async (code) => {
      const isolate = await driver.createContext({ bindings });
      const result = await isolate.execute(`const tools = { echo };\n${code}`);
      await isolate.dispose();
      if (!result.success) throw new Error(result.error.message);
      return result.value;
    };
  },
  async 'node:vm'() {
    const vm = await import('node:vm');
    return (code) => vm.runInNewContext(`(async (tools) => {${code}\n})`, {})({ echo });
  },
};

const MEGABYTE = 1 << 20;
const PROGRAMS = {
  'a program, cold': { code: 'return 1', isCold: true },
  'a program, warm': { code: 'return 1', times: 20 },
  'a call, one after another': { code: 'for (let i = 0; i < 200; i += 1) await tools.echo({ i }); return 1', per: 200 },
  '1,000 calls at once': {
    code: 'await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo({ i }))); return 1',
    per: 1000,
  },
  '1 MB in and out': {
    code: `const { text } = await tools.echo({ text: 'x'.repeat(${MEGABYTE}) }); return text.length`,
  },
  '50 programs at once': { code: 'await tools.echo({}); return 1', atOnce: 50 },
};

if (process.argv[2] === '--one') await measureOne(process.argv[3]);
else await compare();

async function ours(name) {
  return import(new URL(`../../packages/${name}/dist/index.js`, import.meta.url).href);
}

async function measureOne(name) {
  const figures = {};
  let run;
  for (const [title, { code, times = 1, per = times, atOnce = 1, isCold = false }] of Object.entries(PROGRAMS)) {
    const all = [];
    try {
      for (let round = 0; round < (isCold ? 1 : ROUNDS); round += 1) {
        const { cpuMs, wallMs } = await measure(async () => {
          run ??= await MAKE[name]();
          for (let at = 0; at < times; at += 1) await Promise.all(Array.from({ length: atOnce }, () => run(code)));
        });
        all.push({ cpuMs: cpuMs / per, wallMs: wallMs / per });
      }
      figures[title] = { cpuMs: median(all.map((each) => each.cpuMs)), wallMs: median(all.map((each) => each.wallMs)) };
    } catch (error) {
      figures[title] = { fault: String(error.message).slice(0, 60) };
    }
    process.send(figures);
  }
  figures['memory, MiB'] = { rss: process.memoryUsage.rss() / MEGABYTE };
  process.send({ ...figures, isWhole: true });
  process.exit(0);
}

async function compare() {
  const figures = new Map();
  for (const name of NAMES) {
    const all = [];
    for (let at = 0; at < 3; at += 1) {
      const child = fork(fileURLToPath(import.meta.url), ['--one', name], {
        stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
      });
      // What a process has said before it crashed counts.
      let said = {};
      child.on('message', (told) => (said = told));
      // oxlint-disable-next-line no-await-in-loop -- one process at a time
      await new Promise((resolve) => child.once('exit', resolve));
      all.push(said);
    }
    figures.set(name, all);
  }
  console.log(`Node ${process.version}; CPU (wall) in ms, of a program or a call`);
  for (const title of [...Object.keys(PROGRAMS), 'memory, MiB']) {
    console.log(`\n${title}`);
    for (const [name, all] of figures) {
      const found = all.map((each) => each[title]).filter((each) => each !== undefined && each.fault === undefined);
      const { fault = 'its process crashed' } = all.find((each) => each[title]?.fault)?.[title] ?? {};
      if (found.length === 0) console.log(`  ${name.padEnd(20)} FAILED: ${fault}`);
      else if (title.startsWith('memory'))
        console.log(`  ${name.padEnd(20)} ${median(found.map(({ rss }) => rss)).toFixed(0)}`);
      else
        console.log(
          `  ${name.padEnd(20)} ${median(found.map(({ cpuMs }) => cpuMs)).toFixed(3)} (${median(found.map(({ wallMs }) => wallMs)).toFixed(3)})`,
        );
    }
  }
}
