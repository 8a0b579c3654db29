import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { launch, type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumLaunch, findChromium } from '../../../test/setup/chromium.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { environmentAt, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const chromium = findChromium(['cli.serve.page', 'cli.questions.page']);
const HOSTILE = `<script>document.title = 'owned'</script><img src=x onerror="document.title = 'owned'"> [here](javascript:document.title='owned')`;
let browser: Browser | undefined;
let server: WireServer | undefined;
const children: ChildProcess[] = [];

beforeAll(async () => {
  if (!chromium.present) return;
  browser = await launch(chromiumLaunch(temporaryFolder('profile')));
});

afterAll(async () => {
  await browser?.close();
  for (const child of children) child.kill('SIGKILL');
  await server?.close();
});

/** Serves the page for the wire server; resolves to its address. */
async function serve(args: readonly string[], cwd = workspace()): Promise<string> {
  const address = server?.baseUrl ?? '';
  const started = spawn(process.execPath, [CLI, 'serve', 'http', '--base-url', address, '-m', 'm', ...args], {
    cwd,
    env: environmentAt(cwd),
  });
  children.push(started);
  return new Promise<string>((resolve) => {
    let text = '';
    started.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
}

test('what a model writes stays text on the page, however hostile or long it is', chromium.options, async () => {
  verifies('cli.serve.page');
  if (browser === undefined) throw new Error('there is no browser');
  const call = { id: 'c1', name: 'read_file', arguments: { path: HOSTILE } };
  server = await startWireServer({
    replies: [
      { reasoning: HOSTILE, text: HOSTILE, calls: [call] },
      { text: `${HOSTILE}${'long '.repeat(100_000)}END` },
    ],
  });
  const url = await serve([]);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url.slice(0, url.indexOf('#')))) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  await page.type('#text', 'hi');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('#log').textContent.includes('END')`, { timeout: 60_000 });
  const seen = await page.evaluate(`({
    title: document.title,
    elements: document.querySelectorAll('#log script, #log img, #log a, #log iframe').length,
    shown: [...document.querySelectorAll('#log .answer')].map((box) => box.textContent.slice(0, 40)),
    isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  })`);
  expect(seen).toEqual({
    title: 'prompt-agent',
    elements: 0,
    shown: [HOSTILE.slice(0, 40), HOSTILE.slice(0, 40)],
    isWide: false,
  });
  expect(complaints).toEqual([]);
});

test(
  'a question that appears while someone types takes no key, and only a choice answers it',
  chromium.options,
  async () => {
    verifies('cli.questions.page');
    if (browser === undefined) throw new Error('there is no browser');
    await server?.close();
    const call = { id: 'c1', name: 'run_command', arguments: { command: ['touch', 'made', "it's"], cwd: 'sub' } };
    server = await startWireServer({
      replies: [{ calls: [call], fault: { delayMs: 500 } }, { text: 'Done.' }, { text: 'Second.' }],
    });
    const cwd = workspace({ 'sub/a.txt': '' });
    const url = await serve(['--bundle', 'code_agent', '--sandbox', 'off'], cwd);
    const page = await browser.newPage();
    await page.goto(url);
    await page.type('#text', 'touch it');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and th');
    await page.waitForSelector('.decide .allow', { timeout: 60_000 });
    await page.keyboard.type('en');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const seen = await page.evaluate(`({
    focus: document.activeElement.id,
    typed: document.querySelector('#text').value,
    lines: [...document.querySelectorAll('.given .line')].map((line) => line.textContent),
    red: [...document.querySelectorAll('.given .warning')].map((line) => line.textContent),
    buttons: [...document.querySelectorAll('.decide button')].map((button) => button.textContent),
  })`);
    expect(seen).toEqual({
      focus: 'text',
      typed: 'and then',
      lines: [
        'run_command',
        String.raw`$ touch made 'it'\''s'`,
        `folder: ${join(realpathSync(cwd), 'sub')}`,
        'time limit: 120 s',
        'not isolated',
      ],
      red: ['not isolated'],
      buttons: ['Allow', 'Deny'],
    });
    expect(existsSync(join(cwd, 'sub/made'))).toBe(false);
    expect(server.requests).toHaveLength(1);
    await page.click('.decide .allow');
    await page.waitForFunction(`document.querySelector('#log').textContent.includes('Done.')`, { timeout: 60_000 });
    expect(existsSync(join(cwd, 'sub/made'))).toBe(true);
    await page.waitForFunction(`document.querySelector('#stop').hidden`, { timeout: 60_000 });
    await page.focus('#text');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('#log').textContent.includes('Second.')`, { timeout: 60_000 });
  },
);
