import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { launch, type Page } from 'puppeteer-core';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumLaunch, findChromium } from '../../test/setup/chromium.ts';
import { startChatServer } from '../web/chat-server.ts';
import { sentMailTo } from '../web/weather.ts';

const chromium = findChromium(['web.browser']);
const ARGUMENTS = '{"to":"ada@example.com","text":"<b>It is 3 °C.</b>"}';

/** Streams a call piece by piece, each when the test says so, and then answers. */
function steppedProvider(): { readonly provider: Provider; step(): void } {
  const steps: (() => void)[] = [];
  let granted = 0;
  const wait = async (): Promise<void> => {
    if (granted > 0) granted -= 1;
    else await new Promise<void>((resolve) => void steps.push(resolve));
  };
  const call = { type: 'tool-call', id: 'c1', name: 'send_mail', arguments: ARGUMENTS } as const;
  return {
    step() {
      const next = steps.shift();
      if (next === undefined) granted += 1;
      else next();
    },
    provider: {
      name: 'stepped',
      async *stream({ messages }) {
        const isAnswered = messages.at(-1)?.role === 'tool';
        const text = isAnswered ? 'Ada knows.' : 'I will write to Ada.';
        yield { type: 'text-delta', text };
        if (!isAnswered) {
          yield { type: 'tool-call-delta', index: 0, id: call.id, name: call.name, arguments: ARGUMENTS.slice(0, 20) };
          await wait();
          yield { type: 'tool-call-delta', index: 0, arguments: ARGUMENTS.slice(20) };
        }
        const content = [{ type: 'text', text } as const, ...(isAnswered ? [] : [call])];
        yield { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'stop' };
      },
    },
  };
}

async function openPage(provider: Provider): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'kernel-page-'));
  const server = await startChatServer(provider);
  const browser = await launch(chromiumLaunch(profile));
  onTestFinished(async () => {
    await browser.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 800, height: 500 });
  await page.goto(server.url);
  return page;
}
const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (node: { readonly textContent: string | null }) => node.textContent ?? '');

test.each([
  ['allow', 'done', 'Sent.', 1],
  ['deny', 'denied', 'The tool did not succeed.', 0],
])(
  'a page in a browser shows a call while it arrives, asks for approval, and goes on with "%s"',
  chromium.options,
  async (decision, status, text, mails) => {
    verifies('web.browser');
    sentMailTo.length = 0;
    const { provider, step } = steppedProvider();
    const page = await openPage(provider);
    await page.type('#text', 'Tell Ada.');
    await page.click('form button');

    await page.waitForSelector('.call[data-status="streaming"]');
    await expect.poll(() => textOf(page, '.call pre')).toBe(ARGUMENTS.slice(0, 20));
    step();

    await page.waitForSelector('.call[data-status="asked"]');
    // What the model wrote is text, not HTML.
    expect(await textOf(page, '.call pre')).toBe(ARGUMENTS);
    expect(await page.$('.call b')).toBeNull();
    expect(sentMailTo).toEqual([]);
    await page.click(`button.${decision}`);

    await page.waitForSelector(`.call[data-status="${status}"]`);
    await expect.poll(() => textOf(page, '#log > :last-child')).toBe('Ada knows.');
    expect(await textOf(page, '.call footer')).toBe(text);
    expect(sentMailTo).toHaveLength(mails);
  },
);
