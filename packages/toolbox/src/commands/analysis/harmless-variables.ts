const HARMLESS = new Set(
  [
    'CI DEBUG VERBOSE COVERAGE TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG LANGUAGE',
    'NODE_ENV BABEL_ENV RAILS_ENV RACK_ENV APP_ENV RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED',
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED SOURCE_DATE_EPOCH DO_NOT_TRACK',
  ]
    .join(' ')
    .split(' '),
);

/** Whether a variable that is set for a program can only change what it prints or how it runs, and not which code. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.has(name) || /^LC_[A-Z]+$/.test(name);
}
