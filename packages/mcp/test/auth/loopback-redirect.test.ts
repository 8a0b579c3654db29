import { request } from 'node:http';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  loopbackRedirect,
  type LoopbackRedirectOptions,
  type OpenRedirect,
  type RedirectAnswer,
} from '../../src/auth/index.ts';

const STATE = 'the-state-of-this-request';
const TARGET = new URL('https://auth.example.com/authorize');

async function opened(options: Partial<LoopbackRedirectOptions> = {}): Promise<OpenRedirect> {
  const open = await loopbackRedirect({ onUrl: () => undefined, ...options }).open(new AbortController().signal);
  onTestFinished(() => open.close());
  return open;
}

test('the answer with the state of the request is taken with its issuer, and the page has no script and nothing of the answer', async () => {
  verifies('mcp.auth.redirect');
  const told: URL[] = [];
  const open = await opened({ onUrl: (url) => void told.push(url) });
  expect(open.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const answer = open.ask(TARGET, STATE);
  const query = new URLSearchParams({ code: '<script>', state: STATE, iss: 'https://auth.example.com' });
  const page = await fetch(`${open.url}?${String(query)}`);
  expect(await answer).toEqual<RedirectAnswer>({ code: '<script>', error: undefined, iss: 'https://auth.example.com' });
  expect(told).toEqual([TARGET]);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  expect(text).toContain('You can close this window');
  expect(text).not.toContain('<script');
  await open.close();
  await expect(fetch(open.url)).rejects.toThrow('fetch failed');
});

test('an answer of an issuer that was not asked is told to be none, and ends the sign-in', async () => {
  verifies('mcp.auth.redirect');
  const open = await opened();
  const answer = open.ask(TARGET, STATE, ({ iss }) => iss === TARGET.origin);
  const page = await fetch(`${open.url}?code=x&state=${STATE}&iss=https%3A%2F%2Fevil.example.com`);
  expect(page.status).toBe(400);
  expect(await page.text()).toContain('Not signed in');
  expect(await answer).toMatchObject({ code: 'x', iss: 'https://evil.example.com' });
});

test('an answer with another state, none, two, another path, host or method is refused, and the right one is waited for', async () => {
  verifies('mcp.auth.redirect');
  const open = await opened();
  const answer = open.ask(TARGET, STATE);
  for (const query of [
    `code=x&state=${STATE}x`,
    'code=x',
    `code=x&state=${STATE}&state=${STATE}`,
    `state=${STATE}`,
    `code=x&error=y&state=${STATE}`,
  ])
    expect((await fetch(`${open.url}?${query}`)).status).toBe(400);
  const right = `?code=right&state=${STATE}`;
  expect((await fetch(open.url.replace('callback', 'other') + right)).status).toBe(404);
  expect((await fetch(open.url + right, { method: 'POST' })).status).toBe(400);
  const status = await new Promise((resolve) => {
    request(open.url + right, { headers: { host: 'evil.example.com' } }, (response) =>
      resolve(response.statusCode),
    ).end();
  });
  expect(status).toBe(400);
  await fetch(open.url + right);
  expect((await answer).code).toBe('right');
});

test('a refusal is an answer too', async () => {
  verifies('mcp.auth.redirect');
  const open = await opened();
  const answer = open.ask(TARGET, STATE);
  expect((await fetch(`${open.url}?error=access_denied&state=${STATE}`)).status).toBe(403);
  expect(await answer).toEqual({ code: undefined, error: 'access_denied', iss: undefined });
});

test('where there is no browser, the address at which it has ended or the code is pasted, and anything else may be pasted again', async () => {
  verifies('mcp.auth.redirect');
  let paste = (_text: string): void => {};
  const options: Partial<LoopbackRedirectOptions> = { onUrl: (_url, given) => void (paste = given) };
  const open = await opened(options);
  const answer = open.ask(TARGET, STATE);
  for (const text of [
    '',
    'two words',
    `${open.url}?code=x&state=another`,
    'https://auth.example.com/',
    'x'.repeat(20_000),
  ])
    expect(() => paste(text)).toThrow('not the answer to this sign-in');
  paste(` ${open.url}?code=abc&state=${STATE}&iss=https%3A%2F%2Fauth.example.com\n`);
  expect(await answer).toEqual({ code: 'abc', error: undefined, iss: 'https://auth.example.com' });

  const second = await opened(options);
  const code = second.ask(TARGET, STATE);
  paste('abc-123');
  expect(await code).toEqual({ code: 'abc-123' });
});

test('a person who does not come back is waited for until the timeout or an abort, and then nothing listens', async () => {
  verifies('mcp.auth.redirect', 'mcp.auth.abort');
  let over: AbortSignal | undefined;
  const options: Partial<LoopbackRedirectOptions> = {
    timeoutMs: 1,
    onUrl: (_url, _paste, signal) => void (over = signal),
  };
  const open = await opened(options);
  await expect(open.ask(TARGET, STATE)).rejects.toMatchObject({
    code: 'TOOL_UNAVAILABLE',
    message: 'Nobody has signed in within 1 ms (timeoutMs).',
  });
  expect(over?.aborted).toBe(true);

  const controller = new AbortController();
  const redirect = loopbackRedirect({ onUrl: () => controller.abort(new Error('enough')) });
  const aborted = await redirect.open(controller.signal);
  await expect(aborted.ask(TARGET, STATE)).rejects.toThrow('enough');
  await aborted.close();
  await expect(fetch(aborted.url)).rejects.toThrow('fetch failed');
});

test('what the program does with the address can fail, and a port that is taken is an error', async () => {
  verifies('mcp.auth.redirect');
  const open = await opened({
    onUrl: () => {
      throw new Error('no browser');
    },
  });
  await expect(open.ask(TARGET, STATE)).rejects.toThrow('no browser');
  const port = Number(new URL(open.url).port);
  await expect(opened({ port })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
