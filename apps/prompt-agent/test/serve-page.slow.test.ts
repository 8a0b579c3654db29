import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { launch, type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../test/setup/chromium.ts';
import { workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const chromium = findChromium(['cli.serve.page']);
const folder = mkdtempSync(join(tmpdir(), 'prompt-agent-serve-'));
const HOSTILE = `<script>document.title = 'owned'</script><img src=x onerror="document.title = 'owned'"> [here](javascript:document.title='owned')`;
let browser: Browser | undefined;
let server: WireServer | undefined;
let child: ChildProcess | undefined;

beforeAll(async () => {
  if (!chromium.present) return;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  browser = await launch({ executablePath: chromium.path, userDataDir: join(folder, 'profile'), pipe: true, args });
});

afterAll(async () => {
  await browser?.close();
  child?.kill('SIGKILL');
  await server?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

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
  const cwd = workspace();
  const started = spawn(process.execPath, [CLI, 'serve', 'http', '--base-url', server.baseUrl, '-m', 'm'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, PROMPT_AGENT_SERVERS: '' },
  });
  child = started;
  const url = await new Promise<string>((resolve) => {
    let text = '';
    started.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
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
