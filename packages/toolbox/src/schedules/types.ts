/** When a task runs. */
export type ScheduleTime =
  | {
      /** A cron pattern of five fields, such as `0 9 * * MON-FRI`. */
      readonly cron: string;
      /** The IANA time zone of the pattern. */
      readonly timeZone: string;
    }
  | {
      /** The time of the only run, in milliseconds since 1970. */
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
  /** When the task runs. */
  readonly time: ScheduleTime;
  /** What each run may use. */
  readonly limits: ScheduleLimits;
  /** When it is due next, in milliseconds since 1970; undefined once it has ended. */
  readonly nextMs: number | undefined;
  /** When it was created, in milliseconds since 1970. */
  readonly createdMs: number;
}

/** A run of a schedule, for one due time. */
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
  /** How often it was started before and interrupted by the end of the program. */
  readonly attempt: number;
}

/** The state of a run: `waiting` before it starts; `unknown` if the program ended during the run and it was not started again. */
export type RunState = 'waiting' | 'running' | 'done' | 'failed' | 'unknown';

/** A recorded run, for a list. */
export interface StoredRun extends ScheduledRun {
  /** Its state. */
  readonly state: RunState;
  /** When it started, or began to wait, in milliseconds since 1970. */
  readonly startedMs: number;
  /** When it ended. */
  readonly endedMs: number | undefined;
  /** Its answer, or why it failed; at most 10,000 characters. */
  readonly outcome: string | undefined;
}

/** What happens with due times that passed while no scheduler ran: none gets a run (`skip`), one does (`once`), or each does (`all`, at most 100). */
export type MissedRuns = 'skip' | 'once' | 'all';

/** The current time and waiting; replaceable in tests. */
export interface Clock {
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** Resolves after this many milliseconds, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
