export const SCHEMA_VERSION = 1;

/** The tables of a journal. Times are milliseconds since 1970 of the machine that wrote them; JSON is text. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  version TEXT NOT NULL,
  format INTEGER NOT NULL,
  input TEXT NOT NULL,
  status TEXT NOT NULL,
  owner TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  is_alone INTEGER NOT NULL DEFAULT 0,
  wake_at INTEGER,
  deadline_at INTEGER,
  is_cancelled INTEGER NOT NULL DEFAULT 0,
  is_stopping INTEGER NOT NULL DEFAULT 0,
  result TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status, created_at);
CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS steps (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  input_digest TEXT NOT NULL,
  effect TEXT,
  state TEXT NOT NULL,
  output TEXT,
  began_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (run_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS waits (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  call TEXT NOT NULL,
  since INTEGER NOT NULL,
  deadline_at INTEGER,
  PRIMARY KEY (run_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waits_by_deadline ON waits (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS signals (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  answer TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  queue TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS inbox_by_run ON inbox (run_id, seq);
CREATE TABLE IF NOT EXISTS early (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  call_id TEXT,
  queue TEXT,
  body TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  UNIQUE (run_id, call_id)
) STRICT;
CREATE TABLE IF NOT EXISTS events (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  key TEXT NOT NULL,
  step TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workers (
  id TEXT PRIMARY KEY,
  beat INTEGER NOT NULL DEFAULT 0,
  info TEXT NOT NULL
) STRICT, WITHOUT ROWID`;
