import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { type Browser, type Frame, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromiumLaunch, findChromium } from '../../../test/setup/chromium.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { environmentAt, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const APP_SERVER = fileURLToPath(new URL('fixtures/app-server.ts', import.meta.url));
const chromium = findChromium(['cli.serve.apps', 'cli.serve.apps.hostile']);
const TIMEOUT = { timeout: 60_000 };
let browser: Browser | undefined;
const children: ChildProcess[] = [];

beforeAll(async () => {
  if (chromium.present) browser = await launch(chromiumLaunch(temporaryFolder('profile')));
});

afterAll(async () => {
  await browser?.close();
  for (const child of children) child.kill('SIGKILL');
});

/** A web server that notes what it is asked for. */
async function startElsewhere(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('elsewhere');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, asked };
}

/** Opens the page, has the model call the tool with the app of this variant, and returns the page. */
async function openApp(variant: string, more: readonly string[] = []) {
  if (browser === undefined) throw new Error('there is no browser');
  const elsewhere = await startElsewhere();
  const model = await startWireServer({
    replies: [
      { calls: [{ id: 'c1', name: 'mcp__mcp__show', arguments: { city: 'Rome' } }] },
      { text: 'That is the weather.' },
      { text: 'More of it.' },
    ],
  });
  onTestFinished(() => model.close());
  const cwd = workspace();
  const tools = `'${process.execPath}' '${APP_SERVER}' ${variant} ${elsewhere.url}`;
  const args = ['serve', 'http', '--base-url', model.baseUrl, '-m', 'm', '--tools', tools, '--execute'];
  const program = spawn(process.execPath, [CLI, ...args, '--trust-hints', 'mcp', ...more], {
    cwd,
    env: environmentAt(cwd),
  });
  children.push(program);
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    program.once('close', () => reject(new Error(`It ended: ${text}`)));
    program.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const headers: Record<string, string>[] = [];
  page.on('response', (response) => {
    if (response.request().frame() !== page.mainFrame()) headers.push(response.headers());
  });
  await page.goto(address);
  await page.type('#text', 'the weather in Rome');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('#log').textContent.includes('That is the weather.')`, TIMEOUT);
  return { page, model, elsewhere, headers, address };
}

/** The frame of the app, once it is there. */
async function frameOf(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('.app iframe', TIMEOUT);
  const frame = await element?.contentFrame();
  if (frame === undefined || frame === null) throw new Error('there is no frame');
  return frame;
}

const logged = (frame: Frame, text: string) =>
  frame.waitForFunction(`document.getElementById('log')?.textContent.includes(${JSON.stringify(text)})`, TIMEOUT);

const textOf = async (where: Frame | Page, selector: string): Promise<string> =>
  String(await where.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

const press = async (page: Page, choice: 'allow' | 'deny') => {
  await page.waitForSelector(`.question .${choice}:not(:disabled)`, TIMEOUT);
  await page.click(`.question .${choice}`);
};

const questionOf = async (page: Page): Promise<string> => {
  await page.waitForSelector('.question .decide', TIMEOUT);
  return String(await page.evaluate(`document.querySelector('.question .given').textContent`));
};

test(
  'an app made with the SDK of the extension is shown with what its tool did, and calls what its server shows to apps',
  chromium.options,
  async () => {
    verifies('cli.serve.apps');
    const { page, headers } = await openApp('good');
    const frame = await frameOf(page);
    await logged(frame, 'ready');
    await logged(frame, 'host prompt-agent, tool show');
    expect(await textOf(frame, '#title')).toBe('Weather in Rome');
    await frame.waitForFunction(`document.getElementById('degrees').textContent === '21 degrees'`, TIMEOUT);
    expect(headers[0]?.['content-security-policy']).toContain("connect-src 'none'");
    await frame.click('#refresh');
    await logged(frame, 'refresh: 21 degrees in Rome');
    expect(await page.$('.question .decide')).toBeNull();
    await frame.click('#secret');
    await logged(frame, 'secret refused: ');
    expect(await textOf(frame, '#log')).toContain('shows apps no tool "secret"');
    const caption = await textOf(page, '.app figcaption span');
    expect(caption).toBe('App of the MCP server "mcp"');
  },
);

test(
  'what an app does that may change something, a link and a message are asked about, and only a choice decides',
  chromium.options,
  async () => {
    verifies('cli.serve.apps');
    const { elsewhere, model, page } = await openApp('good');
    const frame = await frameOf(page);
    await logged(frame, 'ready');
    await frame.click('#wipe');
    expect(await questionOf(page)).toContain('mcp__mcp__wipe');
    expect(await textOf(frame, '#log')).not.toContain('wipe');
    await press(page, 'deny');
    await logged(frame, 'wipe refused: The user said no.');
    await frame.click('#wipe');
    await press(page, 'allow');
    await logged(frame, 'wipe: wiped Rome');
    await frame.click('#link');
    expect(await questionOf(page)).toBe(elsewhere.url);
    await press(page, 'deny');
    await logged(frame, 'link {"isError":true}');
    expect(elsewhere.asked).toEqual([]);
    await frame.click('#message');
    expect(await questionOf(page)).toBe('Tell me more.');
    await press(page, 'allow');
    await page.waitForFunction(`document.querySelector('#log').textContent.includes('More of it.')`, TIMEOUT);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Tell me more.');
    await logged(frame, 'message {}');
  },
);

test('an app that a rule denies a tool does not call it, whatever it says', chromium.options, async () => {
  verifies('cli.serve.apps');
  const { page } = await openApp('good', ['--deny', 'mcp__mcp__wipe', '--ask', 'mcp__mcp__refresh']);
  const frame = await frameOf(page);
  await logged(frame, 'ready');
  await frame.click('#wipe');
  await logged(frame, 'wipe: ');
  expect(await textOf(frame, '#log')).toContain('(error)');
  expect(await page.$('.question .decide')).toBeNull();
  await frame.click('#refresh');
  expect(await questionOf(page)).toContain('mcp__mcp__refresh');
});

test('an app that is closed may finish first', chromium.options, async () => {
  verifies('cli.serve.apps');
  const { page } = await openApp('good');
  const frame = await frameOf(page);
  await logged(frame, 'ready');
  const farewell = page.waitForRequest((request) => request.postData()?.includes('Farewell') === true, TIMEOUT);
  await page.click('.app figcaption button');
  expect((await farewell).url()).toContain('/calls');
  await page.waitForFunction(`document.querySelector('.app iframe') === null`, TIMEOUT);
});

test('an app reaches neither the page around it, nor another address, nor the top', chromium.options, async () => {
  verifies('cli.serve.apps.hostile');
  const { address, elsewhere, page } = await openApp('escape');
  const frame = await frameOf(page);
  await logged(frame, 'done');
  const lines = (await textOf(frame, '#log')).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'parent-document SecurityError',
      'parent-address SecurityError',
      'top SecurityError',
      'storage SecurityError',
      'cookie SecurityError',
      'popup null',
      'origin null',
      'referrer []',
      'fetch failed',
      'own failed',
      'answer 1 {"isError":true}',
      'answer 2 -32601',
      'answer 3 -32601',
    ]),
  );
  expect(elsewhere.asked).toEqual([]);
  expect(page.url()).toBe(address);
});

test.each(['leave', 'submit'])(
  'a frame that tries to %s for another address gets nowhere, and tells that address nothing',
  chromium.options,
  async (variant) => {
    verifies('cli.serve.apps.hostile');
    const { elsewhere, page } = await openApp(variant);
    await page.waitForFrame((frame) => frame.url().startsWith('chrome-error:'), TIMEOUT);
    expect(elsewhere.asked).toEqual([]);
  },
);

test.each([
  ['flood', 'it sent too many messages'],
  ['long', 'it sent a message that is too long'],
])('an app that sends %s is stopped, and the page goes on', chromium.options, async (variant, why) => {
  verifies('cli.serve.apps.hostile');
  const { page } = await openApp(variant);
  await page.waitForFunction(
    `document.querySelector('.app figcaption')?.textContent.includes(${JSON.stringify(why)})`,
    TIMEOUT,
  );
  expect(await page.$('.app iframe')).toBeNull();
  expect(await page.evaluate('1 + 1')).toBe(2);
});

test('an app that never ends does not hold the page up', chromium.options, async () => {
  verifies('cli.serve.apps.hostile');
  const { page } = await openApp('busy');
  await page.waitForSelector('.app iframe', TIMEOUT);
  await page.type('#text', 'go on');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('#log').textContent.includes('More of it.')`, TIMEOUT);
  expect(await textOf(page, '#log')).toContain('More of it.');
  await page.click('.app figcaption button');
  await page.waitForFunction(`document.querySelector('.app iframe') === null`, TIMEOUT);
});

test('a page of 5 MB is not shown, and why is said', chromium.options, async () => {
  verifies('cli.serve.apps.hostile');
  const { page } = await openApp('huge');
  await page.waitForFunction(
    `document.querySelector('#log').textContent.includes('at most 4194304 are shown')`,
    TIMEOUT,
  );
  expect(await page.$('.app iframe')).toBeNull();
});

test('directives and header lines in what an app declares are in no header', chromium.options, async () => {
  verifies('cli.serve.apps.hostile');
  const { headers, page } = await openApp('policy');
  await frameOf(page);
  await page.waitForFunction(`document.querySelector('.app figcaption').textContent.includes('fine.example')`, TIMEOUT);
  // The browser tells of the response when it likes.
  await expect.poll(() => headers.length, { timeout: 60_000 }).toBeGreaterThan(0);
  const [header] = headers;
  expect(Object.keys(header ?? {})).not.toContain('x-injected');
  expect(header?.['content-security-policy']).toContain('connect-src https://fine.example; ');
  expect(header?.['content-security-policy']).not.toMatch(/a\.example|b\.example|unsafe-eval/);
});
