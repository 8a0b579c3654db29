import { isObject } from '@kernel/internal';

/** The extension for apps, in the capabilities of both sides. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** What a tool says of apps, in `_meta.ui`. */
export interface ToolApp {
  /** The address of the page that shows its results. */
  readonly uri?: string;
  readonly isForModel: boolean;
  readonly isForApps: boolean;
}

/** A tool that says nothing of apps: models may call it, and apps of its server, too. */
export const NO_APP: ToolApp = Object.freeze({ isForModel: true, isForApps: true });

const MAX_URI = 2000;

export function readToolApp(meta: { readonly [key: string]: unknown } | undefined): ToolApp {
  const ui = isObject(meta?.['ui']) ? meta['ui'] : {};
  // The second one is how the address was written before.
  const uri = [ui['resourceUri'], meta?.['ui/resourceUri']].find(isAppUri);
  const { visibility } = ui;
  if (uri === undefined && !Array.isArray(visibility)) return NO_APP;
  const isFor = (whom: string): boolean => !Array.isArray(visibility) || visibility.includes(whom);
  return { ...(uri === undefined ? {} : { uri }), isForModel: isFor('model'), isForApps: isFor('app') };
}

function isAppUri(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('ui://') && value.length <= MAX_URI;
}
