/** When a task runs. */
export type ScheduleTime =
  | {
      /** A cron pattern of five fields, such as `0 9 * * MON-FRI`. */
      readonly cron: string;
      /** The IANA time zone that the pattern is meant in. */
      readonly timeZone: string;
    }
  | {
      /** The one moment, in milliseconds since 1970. */
      readonly at: number;
    };

/** What a run of a schedule may use. The names are those of the limits of a run. */
export interface ScheduleLimits {
  /** Model calls. */
  readonly turns?: number;
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** Wall time in milliseconds. */
  readonly timeMs?: number;
}

/** A task and when it is due. */
export interface Schedule {
  /** Identifies it in its store. */
  readonly id: string;
  /** What the agent is to do, with everything it needs to know. */
  readonly task: string;
  /** When. */
  readonly time: ScheduleTime;
  /** What each run may use. */
  readonly limits: ScheduleLimits;
  /** When it is due next, in milliseconds since 1970; undefined once it is over. */
  readonly nextMs: number | undefined;
  /** When it was made, in milliseconds since 1970. */
  readonly createdMs: number;
}

/** One time that a schedule was due. */
export interface ScheduledRun {
  /** Identifies the run in its store; the same if it runs again after a crash. */
  readonly id: string;
  /** The schedule's id. */
  readonly scheduleId: string;
  /** What the agent is to do. */
  readonly task: string;
  /** What it may use. */
  readonly limits: ScheduleLimits;
  /** When it was due, in milliseconds since 1970. */
  readonly dueMs: number;
  /** How often it was begun before, because the program ended in the middle. */
  readonly attempt: number;
}

/** Where a run is: `waiting` before it is begun; `unknown` if the program ended in the middle, and it was not begun again. */
export type RunState = 'waiting' | 'running' | 'done' | 'failed' | 'unknown';

/** A run that was begun, for a list. */
export interface DurableRun extends ScheduledRun {
  /** How it ended. */
  readonly state: RunState;
  /** When it was begun, or began to wait, in milliseconds since 1970. */
  readonly startedMs: number;
  /** When it ended. */
  readonly endedMs: number | undefined;
  /** Its answer, or why it failed; at most 10,000 characters. */
  readonly outcome: string | undefined;
}

/** What happens with times that passed while nothing ran: none is made up for (`skip`), one is (`once`), or each (`all`, at most 100). */
export type MissedRuns = 'skip' | 'once' | 'all';

/** Time, for tests. */
export interface Clock {
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** Resolves after a time in milliseconds, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
