import type { Host } from '../../host.ts';

export interface Capabilities {
  /** Whether text is shown as it arrives: on a terminal of any kind. */
  readonly streams: boolean;
  /** Whether Markdown is laid out: on a terminal, or where `FORCE_COLOR` asks for it. */
  readonly isRich: boolean;
  /** Whether lines can be replaced while something runs: stdout and stderr are terminals that can move the cursor. */
  readonly isLive: boolean;
  readonly hasColors: boolean;
  readonly hasLinks: boolean;
  /** The width of the terminal in columns, at least 20. Read again each time: a terminal changes its size. */
  columns(): number;
}

const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 20;
const LINK_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby', 'rio', 'WarpTerminal']);

/**
 * Finds out what the streams can show. `FORCE_COLOR` (not empty, not `0` or `false`) goes before `NO_COLOR`, as in Node; with `TERM=dumb` nothing but text
 * is sent. `FORCE_HYPERLINK` decides on links.
 */
export function capabilitiesOf({ env, stdout, stderr }: Pick<Host, 'env' | 'stdout' | 'stderr'>): Capabilities {
  const forced = env['FORCE_COLOR'] ?? '';
  const isForced = forced !== '' && forced !== '0' && forced !== 'false';
  const isTerminal = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const isRich = isTerminal || isForced;
  const hasColors = isForced || (isRich && (env['NO_COLOR'] ?? '') === '' && forced !== '0' && forced !== 'false');
  return {
    streams: isRich || stdout.isTTY === true,
    isRich,
    isLive: isTerminal && stderr.isTTY === true,
    hasColors,
    hasLinks: hasColors && hasLinks(env),
    columns: () => Math.max(MIN_COLUMNS, columnsOf(stdout) ?? columnsOf(stderr) ?? widthOf(env) ?? DEFAULT_COLUMNS),
  };
}

function columnsOf({ columns }: { readonly columns?: number }): number | undefined {
  return columns !== undefined && columns > 0 ? columns : undefined;
}

function widthOf({ COLUMNS }: Host['env']): number | undefined {
  return COLUMNS !== undefined && /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

function hasLinks(env: Host['env']): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '' && forced !== '0' && forced !== 'false';
  if (env['TMUX'] !== undefined || env['STY'] !== undefined) return false;
  return (
    LINK_PROGRAMS.has(env['TERM_PROGRAM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= 5000 ||
    ['WT_SESSION', 'KITTY_WINDOW_ID', 'KONSOLE_VERSION', 'DOMTERM'].some((name) => env[name] !== undefined) ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/.test(env['TERM'] ?? '')
  );
}
