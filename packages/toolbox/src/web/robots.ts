import type { Robot } from 'robots-parser';
import { type DownloadOptions, guardedGet } from './http/guarded-get.ts';

const CACHE_MS = 3_600_000;
const MAX_SITES = 200;
const MAX_BYTES = 512_000;
/** Characters of a file times characters of an address: matching patterns with wildcards takes about a nanosecond for each. */
const MAX_WORK = 200_000_000;

interface Loaded {
  readonly robot: Robot;
  readonly size: number;
}

/** Creates the rules for a user agent. Each site's file is loaded once an hour. Source: RFC 9309. */
export function createRobotRules(userAgent: string) {
  const sites = new Map<
    string,
    { readonly rules: Promise<Loaded | boolean | undefined>; readonly expiresAt: number }
  >();
  return {
    /** Whether the `robots.txt` of its site allows an address for the user agent. A site without one allows all; one that fails allows nothing. */
    async allows(url: URL, options: DownloadOptions): Promise<boolean> {
      options.signal.throwIfAborted();
      const cached = sites.get(url.origin);
      const isFresh = cached !== undefined && performance.now() < cached.expiresAt;
      const rules = isFresh ? cached.rules : load(url.origin, options);
      if (!isFresh) {
        sites.delete(url.origin);
        sites.set(url.origin, { rules, expiresAt: performance.now() + CACHE_MS });
        const oldest = sites.keys().next().value;
        if (sites.size > MAX_SITES && oldest !== undefined) sites.delete(oldest);
      }
      const found = await rules;
      // A load that its caller ended, be it this one or another one, says nothing about the server.
      if (found === undefined) {
        if (sites.get(url.origin)?.rules === rules) sites.delete(url.origin);
        options.signal.throwIfAborted();
        return this.allows(url, options);
      }
      if (typeof found === 'boolean') return found;
      return found.size * url.href.length <= MAX_WORK && (found.robot.isAllowed(url.href, userAgent) ?? true);
    },
  };
}

/** Loads the file of a site: true if everything is allowed, false if nothing is, undefined if the load was aborted. */
async function load(origin: string, options: DownloadOptions): Promise<Loaded | boolean | undefined> {
  const address = `${origin}/robots.txt`;
  try {
    const { status, body } = await guardedGet(address, { ...options, maxBytes: MAX_BYTES, mayFollow: undefined });
    if (status >= 400 && status < 500) return true;
    if (status !== 200) return false;
    const { default: module } = await import('robots-parser');
    // Its types describe an ES module; what is loaded is CommonJS, whose default is the function itself.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const parse = module as unknown as (url: string, text: string) => Robot;
    return { robot: parse(address, new TextDecoder().decode(body)), size: body.length };
  } catch {
    // A file that cannot be reached forbids everything, as the standard says.
    return options.signal.aborted ? undefined : false;
  }
}
