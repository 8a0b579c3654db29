import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { shellQuote } from '../src/questions/shell-quote.ts';
import { indentJson, parseJsonMembers } from '../src/questions/json-text.ts';
import { showArguments, showCall } from '../src/questions/show-call.ts';
import { wrapLines } from '../src/output/terminal/wrap-lines.ts';
import { createPageParts } from '../src/output/html/page-parts.ts';
import { detailText } from '../src/output/html/detail-text.ts';
import { STYLE as SERVED_STYLE } from '../src/serve/page-style.ts';
import { sessionPage } from '../src/output/html/session-page.ts';
import { toTranscript } from '../src/sessions/transcript.ts';
import { SAMPLE } from './sessions/sample-session.ts';
import { asking, count, LISTS, SETTING } from './questions.support.ts';

const lines = (input: object, setting: Parameters<typeof showCall>[2] = SETTING) =>
  showCall('run_command', JSON.stringify(input), setting);

describe('a command in a question', () => {
  test('is what one would type, with its folder, its time limit and how it is isolated', () => {
    verifies('cli.questions.command');
    expect(lines({ command: ['node', '--test', 'a b'], cwd: 'packages/a', timeout_seconds: 5, input: 'x\ny' })).toEqual(
      [
        'run_command',
        "$ node --test 'a b'",
        'folder: /home/ada/shop/packages/a',
        'time limit: 5 s',
        'isolated: bubblewrap, no network',
        'input:',
        '  x',
        '  y',
      ],
    );
    expect(lines({ command: ['ls'], background: true }, { ...SETTING, isolation: null })).toEqual([
      'run_command',
      '$ ls',
      'folder: /home/ada/shop',
      'time limit: none, it runs in the background',
      'not isolated',
    ]);
    expect(lines({ command: ['ls'], timeout_seconds: 9000 })).toContain('time limit: 120 s');
    expect(showCall('run_command', '{"command":["ls"]}')).toEqual(['run_command', '$ ls']);
    expect(showArguments('run_command', '{"command":["ls","a b"]}')).toBe("ls 'a b'");
    expect(showArguments('read_file', '{"path":"a"}')).toBe('{"path":"a"}');
  });

  test.each([{ command: [] }, { command: 'ls' }, { command: [1] }, {}])(
    'without one is shown as it is: %j',
    (input) => {
      expect(lines(input).join('\n')).not.toContain('isolated');
    },
  );

  test('is quoted so that no two argument lists look alike, and without characters that do not show', () => {
    verifies('cli.questions.command');
    const shown = LISTS.map(shellQuote);
    expect(new Set(shown).size).toBe(LISTS.length);
    for (const line of shown) expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{M}\u00a0]+$/u);
    for (const line of shown) expect(line).toMatch(/^[\p{ASCII}éΑΒΛ]+$/u);
    expect(shellQuote(['c\u0440', '\u0441\u0440'])).toBe(String.raw`$'c\u0440' $'\u0441\u0440'`);
  });

  test.each([
    'отчёт.txt',
    'Résumé-Größe',
    'αρχείο x',
    'レポート v2.pdf',
    '보고서',
    'Đặng Nguyễn',
    'דוח',
    'รายงาน',
    '5 €',
    '🎉',
    'հաշվետվություն',
  ])('is readable in the letters of any language: %s', (word) => {
    verifies('cli.questions.command');
    expect(shellQuote([word])).toBe(`'${word}'`);
  });

  test('draws no line of its own, however wide the terminal is', () => {
    verifies('cli.questions.command');
    const pad = (text: string) => text.padEnd(100);
    const drawn = ['folder: /tmp/scratch', 'time limit: 120 s', 'isolated: bubblewrap, no network'];
    for (let before = 80; before < 100; before += 1) {
      const word = ' '.repeat(before) + drawn.map(pad).join('');
      const shown = wrapLines(lines({ command: ['rm', '-rf', 'src', word] }, { ...SETTING, isolation: null }), 100);
      expect(shown.filter((line) => !line.startsWith('│ '))).toEqual([
        'run_command',
        expect.stringMatching(/^\$ rm -rf src '/),
        'folder: /home/ada/shop',
        'time limit: 120 s',
        'not isolated',
      ]);
    }
  });

  test('says the folder as it says the command', () => {
    verifies('cli.questions.command');
    expect(lines({ command: ['ls'], cwd: 'p\u0430\nisolated: all' })).toContain(
      String.raw`folder: $'/home/ada/shop/p\u0430\nisolated: all'`,
    );
    expect(lines({ command: ['ls'], folder: '/harmless' })).toEqual(expect.arrayContaining(['"folder": /harmless']));
  });

  test('cuts neither a long value nor a long command', () => {
    verifies('cli.questions.command');
    const long = 'x'.repeat(34_567);
    expect(showCall('send', JSON.stringify({ text: long, to: 'ada' }))).toEqual(['send', `text: ${long}`, 'to: ada']);
    expect(lines({ command: ['echo', long] })).toContain(`$ echo ${long}`);
    const shown = showCall('send', JSON.stringify({ text: `a${'\u0001'.repeat(9000)}\r\nb` }));
    expect(shown).toEqual(['send', 'text:', `  a${String.raw`\x01`.repeat(9000)}\\x0d`, '  b']);
  });

  test.each([
    ['a text of escapes', () => ({ text: '\u0001\\"'.repeat(2_000_000) })],
    ['an array of them', () => ({ text: ['\u0001\\"'.repeat(2_000_000)] })],
    ['a long text', () => ({ text: `a b${'x'.repeat(20_000_000)}` })],
    ['a long key', () => ({ ['\\"'.repeat(2_000_000)]: 1 })],
    ['many lists', () => ({ list: Array.from({ length: 200_000 }, () => [[]]) })],
  ])('shows %s, however long', (_, input) => {
    verifies('cli.questions.command');
    const json = JSON.stringify(input());
    const [name, first] = showCall('send', json);
    expect(name).toBe('send');
    expect(first?.slice(0, 4)).toBeDefined();
    expect(parseJsonMembers(json)).toHaveLength(1);
    expect(JSON.parse(indentJson(json))).toEqual(JSON.parse(json));
  });
});

test('the page of a session has the lines of the question, with how its commands ran', () => {
  verifies('cli.questions.command');
  const given = { command: ['node', '-e', 'a "b"\u202e'], cwd: 'x' };
  const call = { id: 'c1', name: 'run_command', arguments: JSON.stringify(given) };
  const mail = { id: 'c2', name: 'send', arguments: JSON.stringify({ to: '<b>ada</b>', text: 'one\ntwo' }) };
  const pageOf = (isolation: string | null): string => {
    const commands = { ...SETTING, isolation };
    const events = [
      { type: 'run-start', provider: 'openai', model: 'm', prompts: ['go'], commands },
      { type: 'turn-start', turn: 1, tools: 1 },
      { type: 'message-end', text: '', calls: [call, mail], finishReason: 'tool-calls' },
    ];
    return sessionPage(
      toTranscript(
        SAMPLE,
        events.map((event) => ({ path: [], event, at: '', atMs: 1 })),
      ),
    );
  };
  const escape = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
  // What is too long for a row is in an element of its own.
  const withoutRows = (page: string) => page.replaceAll(/<span>([^<]*)<\/span>/g, '$1');
  const page = withoutRows(pageOf('bubblewrap'));
  expect(page).toContain(escape(lines(given).slice(1).join('\n')));
  expect(page).toContain(escape('to: <b>ada</b>\ntext:\n  one\n  two'));
  expect(pageOf(null)).toContain('<b class="warning">not isolated</b>');
});

test('a text that fills its row draws no line on the page of a session, nor on the served page', () => {
  verifies('cli.questions.command');
  const padded = `x${' '.repeat(200)}folder: /tmp`;
  const { markup } = detailText('Arguments', `to: ${padded}\nshort`, 300, createPageParts());
  expect(markup).toContain(`<span>to: ${padded}</span>\nshort`);
  // Both pages begin a row that goes on two columns further in than a line.
  expect(sessionPage(toTranscript(SAMPLE, []))).toMatch(/\.detail pre>\*\{[^}]*padding-left:2ch;text-indent:-2ch/);
  expect(SERVED_STYLE).toMatch(/pre\.given \{ padding-left: 2ch; text-indent: -2ch; \}/);
});

describe('a question on a terminal', () => {
  test('waits for somebody who is typing, and takes no key of that', async () => {
    verifies('cli.questions.enter');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { terminal, decided } = asking('bubblewrap');
    for (const key of ['d', 'e', 'p', 'l', 'o', 'y', '\n']) {
      terminal.stdin.write(key);
      // oxlint-disable-next-line no-await-in-loop -- one key after another
      await vi.advanceTimersByTimeAsync(900);
      expect(terminal.raw()).not.toContain('[y/N]');
    }
    await vi.advanceTimersByTimeAsync(200);
    vi.useRealTimers();
    await vi.waitFor(() => expect(count(terminal.raw())).toBe(1), 30_000);
    terminal.stdin.write('n\n');
    expect(await decided).toEqual({ decision: 'deny', reason: 'The user said no.' });
  });
});
