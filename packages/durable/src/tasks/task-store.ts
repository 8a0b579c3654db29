import { type Database, reading, type Row } from '../database/database.ts';
import type { Writer } from '../database/group-commit.ts';
import { parse, text } from '../runs/read-run.ts';

/** What the journal needs to know of a task: the rest of it is the caller's. */
export interface StoredTask {
  /** Unique. */
  readonly id: string;
  /** Where it is. `completed`, `failed` and `cancelled` are final. */
  readonly status: string;
  /** When it may be forgotten, in ms since 1970. */
  readonly expiresMs: number;
}

/** Tasks in a journal: the store for `serveHttp(toolset, { tasks: { store } })` of `@kernel/mcp`. */
export interface StoredTasks<Task extends StoredTask> {
  /** Keeps a task, new or changed, and forgets those that have expired. Resolves once that is committed. */
  save(task: Task): Promise<void>;
  /** Resolves to the task of this id, if there is one. */
  load(id: string): Promise<Task | undefined>;
  /** Forgets a task. */
  remove(id: string): Promise<void>;
  /** The tasks that have neither ended nor expired. */
  unfinished(): Promise<readonly Task[]>;
}

/** A table of its own, which a journal of runs alone does not have. */
const TABLE = `CREATE TABLE IF NOT EXISTS tasks (
  id TEXT PRIMARY KEY,
  is_final INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  task TEXT NOT NULL
) STRICT, WITHOUT ROWID`;

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export function createStoredTasks<Task extends StoredTask>(db: Database, { write }: Writer): StoredTasks<Task> {
  let isThere: Promise<void> | undefined;
  const ready = (): Promise<void> => (isThere ??= write(() => void db.run(TABLE)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `save` was given
  const taskOf = (row: Row): Task => parse(text(row, 'task')) as unknown as Task;
  return {
    async save(task) {
      const json = JSON.stringify(task);
      await ready();
      await write(() => {
        db.run('DELETE FROM tasks WHERE expires_at <= ?', Date.now());
        const sql = 'INSERT OR REPLACE INTO tasks (id, is_final, expires_at, task) VALUES (?, ?, ?, ?)';
        db.run(sql, task.id, FINAL.has(task.status) ? 1 : 0, task.expiresMs, json);
      });
    },
    async load(id) {
      await ready();
      return reading(() => {
        const row = db.get('SELECT task FROM tasks WHERE id = ?', id);
        return row && taskOf(row);
      });
    },
    async remove(id) {
      await ready();
      await write(() => void db.run('DELETE FROM tasks WHERE id = ?', id));
    },
    async unfinished() {
      await ready();
      const sql = 'SELECT task FROM tasks WHERE is_final = 0 AND expires_at > ?';
      return reading(() => db.all(sql, Date.now()).map(taskOf));
    },
  };
}
