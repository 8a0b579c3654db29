import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { verifies } from '@kernel/testing';
import { launch, type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionPage } from '../../src/output/html/session-page.ts';
import { chromiumLaunch, findChromium } from '../../../../test/setup/chromium.ts';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { deepTranscript, HOSTILE, sampleTranscript } from './sample-session.ts';

const chromium = findChromium([
  'cli.sessions.page.look',
  'cli.sessions.page.alone',
  'cli.sessions.page.timeline',
  'cli.sessions.page.keyboard',
]);
let folder = '';
let file = '';
let browser: Browser | undefined;

beforeAll(async () => {
  folder = temporaryFolder('prompt-agent-page');
  file = join(folder, 'session.html');
  writeFileSync(file, sessionPage(sampleTranscript()));
  if (!chromium.present) return;
  browser = await launch(chromiumLaunch(temporaryFolder('profile')));
});

afterAll(async () => {
  await browser?.close();
});

/** What the page wrote to the console or asked for besides itself. */
interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

async function open(width: number, theme: 'light' | 'dark', script = true): Promise<Opened> {
  if (browser === undefined) throw new Error('there is no browser');
  // A context of its own: the theme is remembered.
  const page = await (await browser.createBrowserContext()).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) complaints.push(`asked for ${request.url()}`);
  });
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.goto(pathToFileURL(file).href);
  return { page, complaints };
}

/** In the page: for each text, the contrast of its colour with what is behind it, if it is below 4.5. */
const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (node) => {
    for (let each = node; each !== null; each = each.parentElement) {
      const color = rgb(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const node = text.parentElement;
    if (text.data.trim() === '' || node.tagName === 'SCRIPT') continue;
    count += 1;
    const [front, back] = [light(rgb(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) low.push(node.className + ' ' + node.tagName + ' ' + ratio.toFixed(2) + ' ' + text.data.slice(0, 20));
  }
  return { low, count };
})()`;

test.for([
  [1400, 'light'],
  [1400, 'dark'],
  [360, 'light'],
  [360, 'dark'],
] as const)(
  'at %i pixels in %s it is readable, fits, asks for nothing and has no error',
  chromium.options,
  async ([width, theme]) => {
    verifies('cli.sessions.page.look', 'cli.sessions.page.alone');
    const { page, complaints } = await open(width, theme);
    await page.click('#all');
    const picture = await page.screenshot({ path: join(folder, `${width}-${theme}.png`), fullPage: true });
    expect(picture.byteLength).toBeGreaterThan(10_000);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const { low, count } = (await page.evaluate(LOW_CONTRAST)) as { low: string[]; count: number };
    expect(low).toEqual([]);
    expect(count).toBeGreaterThan(100);
    const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(paper).toBe(theme === 'light' ? 'rgb(252, 251, 249)' : 'rgb(21, 20, 18)');
    // The switch goes before the system.
    await page.click(`label[for=theme-${theme === 'light' ? 'dark' : 'light'}]`);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).not.toBe(paper);
    expect(complaints).toEqual([]);
    await page.close();
  },
);

test(
  'both themes have the same structure, with landmarks, headings in order and a name for each control',
  chromium.options,
  async () => {
    verifies('cli.sessions.page.look');
    const { page } = await open(1400, 'light');
    const outline = await page.evaluate(
      `[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((node) => Number(node.tagName[1]))`,
    );
    const levels = outline as number[];
    expect(levels[0]).toBe(1);
    for (let index = 1; index < levels.length; index += 1)
      expect((levels[index] ?? 0) - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
    for (const landmark of ['header', 'main', 'footer', 'a.skip[href="#content"]', 'fieldset legend'])
      expect([landmark, (await page.$(landmark)) === null]).toEqual([landmark, false]);
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll('input,button,section,[role=region]')].filter((node) => !node.labels?.length && !node.textContent.trim() && !node.ariaLabel && !node.hasAttribute('aria-labelledby')).length`,
    );
    expect(unnamed).toBe(0);
    const ids = (await page.evaluate(`[...document.querySelectorAll('[id]')].map((node) => node.id)`)) as string[];
    expect(new Set(ids).size).toBe(ids.length);
    const dead = await page.evaluate(
      `[...document.querySelectorAll('a[href]')].filter((node) => !document.getElementById(node.hash.slice(1))).length`,
    );
    expect(dead).toBe(0);
    await page.close();
  },
);

test(
  'bars stand where their time is: parallel calls side by side, a failed one marked with more than a colour',
  chromium.options,
  async () => {
    verifies('cli.sessions.page.timeline');
    const { page } = await open(1400, 'light');
    const bars = (await page.evaluate(
      `[...document.querySelectorAll('.timeline')[0].querySelectorAll('.row')].map((row) => { const { left, right } = row.querySelector('.bar').getBoundingClientRect(); return { name: row.querySelector('a').firstChild.textContent + row.querySelector('a').textContent, left, right, failed: row.classList.contains('failed') }; })`,
    )) as { name: string; left: number; right: number; failed: boolean }[];
    const named = (part: string) =>
      bars.find(({ name }) => name.includes(part)) ?? { left: 0, right: 0, failed: false, name: '' };
    const [read, search, tests] = [named('read_file'), named('search_text'), named('run_command')];
    for (const other of [search, tests]) expect(Math.abs(other.left - read.left)).toBeLessThan(2);
    expect(tests.right - tests.left).toBeGreaterThan(10 * (search.right - search.left));
    expect(named('edit_file').left).toBeGreaterThan(tests.right);
    expect(tests.failed).toBe(true);
    expect(tests.name).toContain('✕');
    expect(tests.name).toContain('failed');
    // What an agent did stands within its call.
    const [outer, inner] = [named('research,'), named('research: model')];
    expect(inner.left).toBeGreaterThan(outer.left);
    expect(inner.right).toBeLessThanOrEqual(outer.right + 1);
    await page.close();
  },
);

test(
  'keys alone reach the conversation, the theme and each call; a link of the timeline opens its call',
  chromium.options,
  async () => {
    verifies('cli.sessions.page.keyboard');
    const { page } = await open(1400, 'light');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('theme');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(21, 20, 18)');
    await page.reload();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(21, 20, 18)');
    await page.focus('.row.call a');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('details.call').open`);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.close();
  },
);

test('without JavaScript everything is there, folds and changes its theme', chromium.options, async () => {
  verifies('cli.sessions.page.alone');
  const { page, complaints } = await open(360, 'light', false);
  await page.click('details.call summary');
  const shown = await page.evaluate(`document.querySelector('details.call pre').getBoundingClientRect().height`);
  expect(shown).toBeGreaterThan(0);
  await page.click('label[for=theme-dark]');
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(21, 20, 18)');
  expect(complaints).toEqual([]);
  await page.close();
});

test('nothing that a model or a tool wrote becomes a part of the page', chromium.options, async () => {
  verifies('cli.sessions.page.escaped');
  const { page, complaints } = await open(1400, 'light');
  expect(await page.evaluate('[globalThis.stolen, document.scripts.length, document.images.length]')).toEqual([
    null,
    1,
    0,
  ]);
  expect(
    await page.evaluate(
      `[...document.querySelectorAll('a')].every((node) => node.getAttribute('href').startsWith('#'))`,
    ),
  ).toBe(true);
  expect(await page.evaluate('document.body.textContent')).toContain(
    HOSTILE.replace('\u001b', '\\x1b').replace('\u202e', '\\u202e'),
  );
  expect(complaints).toEqual([]);
  await page.close();
});

test('a policy of hashes forbids what is not the page, and a result of 5 MB is cut with its length', () => {
  verifies('cli.sessions.page.escaped', 'cli.sessions.page.cut');
  const page = sessionPage(sampleTranscript());
  expect(page).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"/,
  );
  expect(page).not.toContain('unsafe-inline');
  expect(page).not.toMatch(/ style="| on[a-z]+="(?!globalThis)/);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain('the first 20,000 of 5,242,880 characters are shown');
  expect(page.length).toBeLessThan(100_000);
  expect(sessionPage(deepTranscript()).length).toBeLessThan(1_100_000);
  expect(page).toContain('<ins>+  const lines');
  expect(page).toContain('<del>-  return text');
});
