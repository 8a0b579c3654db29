/**
 * Draws the pictures of `docs/pictures` from runs of the built program, offline or against a scripted server on this machine. What differs from run to run, such as
 * durations, ports and folders, is replaced, so that the same program makes the same pictures. Needs `script` of util-linux.
 * Those of another program need it installed in `test/acp/programs`, and are left as they are without it.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startWireServer, type WireReply, type WireScript } from '@kernel/testing';
import { readScreen } from './pictures/read-screen.ts';
import { CLI, quote, record } from './pictures/record.ts';
import { toSvg } from './pictures/to-svg.ts';

/** A picture: what is run, and what the reader is told that it shows. */
interface Picture {
  readonly name: string;
  readonly title: string;
  readonly columns: number;
  /** The commands, as typed. Those of one picture run one after the other. */
  readonly runs: readonly Run[];
}

interface Run {
  /** The program, which starts ours. Default: ours. */
  readonly client?: Client;
  readonly args: readonly string[];
  readonly typed?: readonly (readonly [seen: string, keys: string])[];
  /** The replies of the model; without them the run is offline. */
  readonly replies?: readonly WireReply[];
}

/** A program of other people that is installed in `test/acp/programs`. */
interface Client {
  readonly name: string;
  readonly file: string;
}

const ACPX: Client = {
  name: 'acpx',
  file: join(import.meta.dirname, '../test/acp/programs/node_modules/acpx/dist/cli.js'),
};

const USAGE = { inputTokens: 1840, outputTokens: 96 };

const SORTING = [
  'Both are **stable** sorts. Merge sort always takes `O(n log n)`; insertion sort is better on lists that are almost in order.',
  '',
  '```ts',
  'function insertionSort(list: number[]): number[] {',
  '  const sorted: number[] = [];',
  '  for (const value of list) {',
  '    const at = sorted.findLastIndex((other) => other <= value);',
  '    sorted.splice(at + 1, 0, value); // after its equals',
  '  }',
  '  return sorted;',
  '}',
  '```',
].join('\n');

const TABLE = [
  '| | best | worst | memory |',
  '| --- | --- | --- | --- |',
  '| merge sort | `n log n` | `n log n` | `n` |',
  '| insertion sort | `n` | `n²` | `1` |',
].join('\n');

const TEST = { name: 'run_command', arguments: { command: ['node', 'test/price.mjs'] } };

const PICTURES: readonly Picture[] = [
  {
    name: 'offline',
    title:
      'Three answers without a model: a calculation, a conversion and the lines of a file, each with the call that made it',
    columns: 76,
    runs: [
      { args: ['what is 15% of 240'] },
      { args: ['convert 26.2 miles to km'] },
      { args: ['how many lines are in src/price.ts'] },
    ],
  },
  {
    name: 'chat',
    title: 'A chat: Markdown with highlighted code, then a table',
    columns: 80,
    runs: [
      {
        args: ['chat'],
        typed: [
          ['› ', 'merge sort or insertion sort?\r'],
          ['tokens:', 'as a table\r'],
          ['tokens:', '\u0004'],
        ],
        replies: [
          // The colours of code are loaded while the model is waited for.
          { text: SORTING, usage: USAGE, pieces: 4, fault: { delayMs: 250 } },
          { text: TABLE, usage: USAGE },
        ],
      },
    ],
  },
  {
    name: 'approval',
    title: 'An edit that is asked about, allowed, and shown as a diff',
    columns: 80,
    runs: [
      {
        args: ['--bundle', 'code_agent', 'round prices to cents'],
        typed: [['[y/N]', 'y\r']],
        replies: [
          { calls: [{ name: 'read_file', arguments: { path: 'src/price.ts' } }], usage: USAGE },
          {
            calls: [
              {
                name: 'edit_file',
                arguments: {
                  path: 'src/price.ts',
                  edits: [{ old_text: 'net * 1.2;', new_text: 'Math.round(net * 120) / 100;' }],
                },
              },
            ],
            usage: USAGE,
          },
          { text: '`gross` in `src/price.ts` now rounds to whole cents.', usage: USAGE },
        ],
      },
    ],
  },
  {
    name: 'editor',
    title:
      'A client of the Agent Client Protocol: the test is run and fails, an edit is asked about and allowed, the test passes',
    columns: 88,
    runs: [
      {
        client: ACPX,
        args: [
          '--no-fs',
          '--no-terminal',
          '--agent',
          "prompt-agent acp --allow 'run_command(node test/price.mjs)'",
          'exec',
          'the test of gross fails; fix it',
        ],
        typed: [['(y/N)', 'y\r']],
        replies: [
          { calls: [TEST], usage: USAGE },
          {
            calls: [
              {
                name: 'edit_file',
                arguments: {
                  path: 'src/price.mjs',
                  edits: [{ old_text: 'net * 1.2;', new_text: 'Math.round(net * 120) / 100;' }],
                },
              },
            ],
            usage: USAGE,
          },
          { calls: [TEST], usage: USAGE },
          { text: '`gross` in `src/price.mjs` now rounds to whole cents.', usage: USAGE },
        ],
      },
    ],
  },
  {
    name: 'doctor',
    title: 'What doctor found: config, keys, tools of the system',
    columns: 88,
    runs: [{ args: ['doctor'] }],
  },
];

const FILES = {
  'src/price.ts': 'export function gross(net: number): number {\n  return net * 1.2;\n}\n',
  // For any Node that a command finds.
  'src/price.mjs': 'export function gross(net) {\n  return net * 1.2;\n}\n',
  'test/price.mjs': [
    "import { gross } from '../src/price.mjs';",
    '',
    'const price = gross(1.37);',
    "console.log(price === 1.64 ? 'ok' : `not ok: ${price}, not 1.64`);",
    'process.exitCode = price === 1.64 ? 0 : 1;',
    '',
  ].join('\n'),
};

const target = join(import.meta.dirname, '../docs/pictures');
mkdirSync(target, { recursive: true });
for (const picture of PICTURES) {
  const missing = picture.runs.map(({ client }) => client).find((client) => client && !existsSync(client.file));
  if (missing !== undefined) {
    console.log(`${picture.name}: left as it is, since ${missing.name} is not installed in test/acp/programs`);
    continue;
  }
  const raw: string[] = [];
  for (const run of picture.runs) raw.push(await rawOf(run, picture.columns));
  const lines = await readScreen(raw.join('\r\n'), picture.columns);
  writeFileSync(join(target, `${picture.name}.svg`), toSvg(lines, picture.columns, picture.title));
  console.log(`${picture.name}: ${lines.length} lines`);
}

/** What a run wrote, below its command. */
async function rawOf({ client, args, typed, replies }: Run, columns: number): Promise<string> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pictures-')));
  const cwd = join(home, 'shop');
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode });
  };
  for (const [path, text] of Object.entries(FILES)) write(join('shop', path), text);
  const server = replies === undefined ? undefined : await startWireServer({ replies: answering(replies) });
  const model = server === undefined ? [] : ['--base-url', server.baseUrl, '-m', 'model'];
  // What a client finds under the name of our program.
  const started = [process.execPath, CLI].map(quote).join(' ');
  write('bin/prompt-agent', `#!/bin/sh\nexec ${started} "$@" ${model.map(quote).join(' ')}\n`, 0o755);
  try {
    const path = [join(home, 'bin'), process.env['PATH']].join(delimiter);
    const raw = await record({
      ...(client === undefined ? { args: [...args, ...model] } : { file: client.file, args }),
      cwd,
      env: { HOME: home, PROMPT_AGENT_SERVERS: '', ...(client !== undefined && { PATH: path }) },
      columns,
      ...(typed === undefined ? {} : { typed }),
    });
    const command = args.map((word) => (/^[\w-]+$/.test(word) ? word : `"${word}"`)).join(' ');
    return `\u001B[1m$ ${client?.name ?? 'prompt-agent'} ${command}\u001B[0m\r\n${steady(raw, home)}`;
  } finally {
    await server?.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Answers with each reply once, and to the question which models there are with none. */
function answering(replies: readonly WireReply[]): WireScript {
  const left = replies.values();
  return ({ method }) =>
    method === 'GET'
      ? { headers: { 'content-type': 'application/json' }, chunks: ['{"object":"list","data":[]}'] }
      : (left.next().value ?? { text: '' });
}

/** Replaces what differs from run to run and from machine to machine. */
function steady(raw: string, home: string): string {
  return raw
    .replaceAll(home, '/home/ada')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
    .replaceAll(/(?<![\d.])\d+ ms\b/g, '12 ms')
    .replaceAll(/(?<![\d.])\d+\.\d s\b/g, '0.4 s')
    .replaceAll(/("durationMs": )\d+/g, '$1400')
    .replaceAll(/\bv\d+\.\d+\.\d+ on \w+ \w+/g, 'v26.0.0 on linux x64');
}
