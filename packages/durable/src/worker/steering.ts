import type { Message, Steering, UserMessage } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { parse, text } from '../runs/read-run.ts';

/** Creates the steering of one attempt at a run. `add` writes what this process itself sends to the journal. */
export function createDurableSteering(
  db: Database,
  runId: string,
  add: {
    readonly message: (queue: 'steer' | 'followUp', message: string | UserMessage) => void;
    readonly stop: () => void;
  },
): Steering & { takenRows(): readonly number[]; refresh(this: void): void } {
  const taken = new Set<number>();
  let uncommitted: number[] = [];
  let rows: readonly { readonly seq: number; readonly queue: string; readonly message: Message }[] = [];
  let isStopping = false;

  const waiting = (queue: string): readonly Message[] =>
    rows.flatMap((row) => (row.queue === queue && !taken.has(row.seq) ? [row.message] : []));
  const refresh = (): void => {
    isStopping = Number(db.get('SELECT is_stopping FROM runs WHERE id = ?', runId)?.['is_stopping']) === 1;
    rows = db.all('SELECT seq, queue, message FROM inbox WHERE run_id = ? ORDER BY seq', runId).map((row) => ({
      seq: Number(row['seq']),
      queue: text(row, 'queue'),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `addMessage`
      message: parse(text(row, 'message')) as unknown as Message,
    }));
  };
  refresh();

  return {
    refresh,
    steer: (message) => add.message('steer', message),
    followUp: (message) => add.message('followUp', message),
    stop: add.stop,
    get pending() {
      return { steer: waiting('steer'), followUp: waiting('followUp'), isStopping };
    },
    take(queue) {
      const found = rows.filter((row) => row.queue === queue && !taken.has(row.seq));
      for (const { seq } of found) taken.add(seq);
      uncommitted.push(...found.map(({ seq }) => seq));
      return found.map(({ message }) => message);
    },
    /** Returns the inbox rows taken since the last call, for the commit of the step that took them. */
    takenRows() {
      const now = uncommitted;
      uncommitted = [];
      return now;
    },
  };
}
