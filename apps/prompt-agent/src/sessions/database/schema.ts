/** The version of the tables, as `user_version` of the file has it. */
export const SCHEMA_VERSION = 1;

/** Marks a file as one of this program's: "pagt" in ASCII. */
export const APPLICATION_ID = 0x70616774;

/**
 * The tables. `entries` is what a conversation continues from, `events` what happened when, and `words` the index over what was asked, answered and
 * called: the `rowid` of a row is the number of its entry. What is deleted is overwritten in the index, too.
 */
export const SCHEMA = `
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT UNIQUE,
  folder TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  flags TEXT NOT NULL DEFAULT '{}',
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  turns INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  cost REAL,
  state TEXT NOT NULL DEFAULT 'begun',
  writer TEXT,
  writer_pid INTEGER
) STRICT;
CREATE INDEX sessions_by_folder ON sessions (folder, changed_ms);
CREATE INDEX sessions_by_change ON sessions (changed_ms);
CREATE TABLE entries (
  number INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  at_ms INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_session ON entries (session);
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  at_ms REAL NOT NULL,
  path TEXT NOT NULL,
  event TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session);
CREATE VIRTUAL TABLE words USING fts5 (asked, answered, called, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;
