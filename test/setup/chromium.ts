/** The browser of the tests that need one: a Chromium of this machine, or what `CHROMIUM` names. It is not part of this repository. */
import { existsSync } from 'node:fs';
import type { SharedData } from './shared-data.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const;

/** The path of the browser, whether it is there or not. */
export function chromiumPath(): string {
  return process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path)) ?? PLACES[0];
}

/** Finds the browser; says loudly when it is absent. `rows` are those rows of `docs/requirements` that only it can prove. */
export function findChromium(rows: readonly string[] = []): SharedData {
  const path = chromiumPath();
  const present = existsSync(path);
  const meta = present ? {} : { missingData: path, unproven: rows };
  // oxlint-disable-next-line no-console -- a run without the browser must say so
  if (!present) console.warn(`BROWSER ABSENT: ${path} does not exist, so its tests are skipped. Set CHROMIUM.`);
  return { path, present, options: { skip: !present, meta } };
}

/** What a launch of the browser needs: its profile and its temporary files stay in `folder`, whoever ends it. */
export function chromiumLaunch(folder: string): {
  readonly executablePath: string;
  readonly userDataDir: string;
  readonly pipe: true;
  readonly env: NodeJS.ProcessEnv;
  readonly args: string[];
} {
  return {
    executablePath: chromiumPath(),
    userDataDir: folder,
    pipe: true,
    env: { ...process.env, TMPDIR: folder },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}
