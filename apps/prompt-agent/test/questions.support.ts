import { createAskUser } from '../src/approval/ask-user.ts';
import { createOutput } from '../src/output/output.ts';
import { fakeTerminal } from './terminals.ts';

export const SETTING = { folder: '/home/ada/shop', timeoutMs: 120_000, isolation: 'bubblewrap' } as const;

/** Argument lists that could be taken for each other. */
export const LISTS: readonly (readonly string[])[] = [
  ['a', 'b'],
  ['a b'],
  ['a  b'],
  ["'a", "b'"],
  ["'a b'"],
  ['"a b"'],
  ['a\\ b'],
  ['a', '', 'b'],
  ['a', "''", 'b'],
  ['a\nb'],
  ['a\\nb'],
  ["$'a\\nb'"],
  ['a\u00a0b'],
  ['a\u200bb'],
  ['ab'],
  ['\u202eab'],
  ['a\tb'],
  ['é'],
  ['e\u0301'],
  ['cp'],
  ['\u0441\u0440'],
  ['c\u0440'],
  ['\u0441p'],
  // Looks like the one above, in letters, punctuation and digits of other scripts.
  ...[
    ['\u0430 b', 'a \u0184', '\uff41 b', 'a\u0337 b', '\u0251 b', '\u{1d5ba} b', '\u15b4 b'],
    ['scope x', '\u0455\u0441\u043e\u0440\u0435 \u0445', '\u0455\u0441\u043e\u0440\u0435 x'],
    ['\u041b\u0410\u0412\u0410', '\u039b\u0391\u0392\u0391'],
    ['\u041d\u0410 x', '\u0397\u0391 x', 'HA x'],
    ['../b c', '\u2024\u2024/b c', '..\u2215b c', '..\u2044b c', '..\u2571b c', '\u0660\u0660/b c'],
    ['-rf x', '\u2010rf x', '\u2212rf x', '\u02d7rf x', '\u2013rf x'],
    ["it's x", 'it\u2019s x', 'it\u02b9s x', 'it\ua78cs x'],
    ['1 x', '\u01c0 x', '\u06f1 x', '\u0131 x'],
    ['$x y', '\uff04x y'],
  ].flatMap((alike) => alike.map((word) => [word])),
  ['\u001b\u0065\u0301'],
  ['A=b', 'c'],
  ['$(id)'],
  ['`id`'],
  ['#'],
  ['~'],
  ['*'],
  ['!x'],
  ['\u001b[2J'],
  ['\u{e0041}'],
  ['a;b'],
  ['a', ';', 'b'],
];

const tool = { name: 'run_command', description: '', parameters: { type: 'object' } } as const;
const call = { type: 'tool-call', id: '1', name: 'run_command', arguments: '{"command":["make"]}' } as const;
/** Asks about a command on a terminal. `isolation` names how it is isolated; null, that it is not. */
export const asking = (isolation: string | null) => {
  const terminal = fakeTerminal();
  const output = createOutput({ ...terminal.host, env: { TERM: 'xterm-256color' } });
  const askUser = createAskUser(terminal.host, output, {
    remember: () => undefined,
    userRules: { path: '', add: () => Promise.resolve() },
    commands: () => Promise.resolve({ ...SETTING, isolation }),
  });
  const request = { call, tool, signal: new AbortController().signal };
  return { terminal, decided: askUser(request, { verdict: 'ask', reason: '' }) };
};
/** How often a terminal has asked. */
export const count = (text: string) => text.split('[y/N]').length - 1;
