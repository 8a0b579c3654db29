import { objectSchema } from '../object-schema.ts';
import { sliceHead } from '@kernel/internal';
import { checkNumber, KernelError, type Tool, type ToolWithHandler, type ToolResult } from '@kernel/protocol';
import type { ScheduleStore } from './store.ts';
import type { Clock, Schedule, ScheduleLimits, ScheduleTime } from './types.ts';
import { nextTime } from './next-time.ts';

/** Options of `scheduleTool`. */
export interface ScheduleToolOptions {
  /** Where the schedules are stored. */
  readonly store: ScheduleStore;
  /** The limits of each run. A call can lower them. */
  readonly limits?: ScheduleLimits | undefined;
  /** The shortest time between two runs of a schedule, in milliseconds. Default 300,000. */
  readonly minIntervalMs?: number | undefined;
  /** The time zone of patterns without one. Default: the system's. */
  readonly timeZone?: string | undefined;
  /** The current time; replaceable in tests. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

interface ScheduleInput {
  readonly action: 'create' | 'list' | 'delete' | 'runs';
  readonly task?: string;
  readonly cron?: string;
  readonly at?: string;
  readonly time_zone?: string;
  readonly turns?: number;
  readonly id?: string;
}

const TOOL: Tool = {
  name: 'schedule',
  title: 'Schedule a task',
  description:
    'Makes, lists and deletes tasks that an agent does later, once or again and again, while nobody watches, and lists how their runs ended.',
  parameters: objectSchema(['action'], {
    action: { type: 'string', enum: ['create', 'list', 'delete', 'runs'] },
    task: { type: 'string', maxLength: 10_000, description: 'What to do, with everything the agent needs to know.' },
    cron: { type: 'string', description: 'Five fields, such as "0 9 * * MON-FRI"; or "at".' },
    at: { type: 'string', description: 'One time, such as "2027-01-31T09:00:00+01:00".' },
    time_zone: { type: 'string', description: 'IANA name for cron, such as "Europe/Berlin".' },
    turns: { type: 'integer', minimum: 1, description: 'Model calls that a run may make.' },
    id: { type: 'string', description: 'For delete.' },
  }),
  effect: 'external',
  metadata: {
    category: 'utility',
    usageHint: 'To do something later or regularly, or be reminded.',
    examples: [
      {
        description: 'Check the build every morning',
        input: { action: 'create', cron: '0 8 * * *', task: 'Check the build.' },
      },
    ],
  },
};

const MIN_INTERVAL_MS = 300_000;
const DAY_MS = 86_400_000;
const CHECKED_DAYS = 9;
const MAX_LISTED = 100;

/** Creates the tool `schedule`. `runSchedules` carries the schedules out. */
export function scheduleTool(options: ScheduleToolOptions): ToolWithHandler {
  checkNumber('scheduleTool', 'minIntervalMs', options.minIntervalMs, 0);
  const { store, limits = {}, minIntervalMs = MIN_INTERVAL_MS, clock = { now: () => Date.now() } } = options;
  const { timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;

  const create = (input: ScheduleInput): ToolResult => {
    if (input.task === undefined || input.task.trim() === '') throw missing('task');
    const nowMs = clock.now();
    const time = readTime(input, timeZone);
    checkInterval(time, nowMs, minIntervalMs);
    const turns = Math.min(input.turns ?? Infinity, limits.turns ?? Infinity);
    const schedule = store.add(input.task, time, { ...limits, ...(turns === Infinity ? {} : { turns }) }, nowMs);
    const text = `Made ${describe(schedule)}`;
    return { forLLM: text, forUser: text, data: { id: schedule.id } };
  };
  const handlers: Readonly<Record<ScheduleInput['action'], (input: ScheduleInput) => ToolResult>> = {
    create,
    list() {
      const all = store.list();
      const left = all.length - MAX_LISTED;
      const lines = [...all.slice(0, MAX_LISTED).map(describe), ...(left > 0 ? [`… and ${left} more`] : [])];
      return { forLLM: lines.join('\n') || 'There are no schedules.' };
    },
    delete({ id }) {
      if (id === undefined) throw missing('id');
      if (!store.remove(id))
        throw new KernelError('TOOL_FAILED', `There is no schedule ${JSON.stringify(sliceHead(id, 80))}.`);
      return { forLLM: `Deleted ${id}.`, forUser: `Deleted ${id}.` };
    },
    runs: () => ({
      forLLM:
        store
          .runs(20)
          .map(({ id, state, outcome = '' }) => `${id}: ${state} ${JSON.stringify(sliceHead(outcome, 300))}`)
          .join('\n') || 'Nothing has run yet.',
    }),
  };
  return { tool: TOOL, handler: (input: ScheduleInput) => handlers[input.action](input) };
}

function readTime({ cron, at, time_zone: zone }: ScheduleInput, timeZone: string): ScheduleTime {
  if ((cron === undefined) === (at === undefined))
    throw new KernelError('TOOL_FAILED', 'A schedule needs either "cron" or "at".');
  if (cron !== undefined) return { cron, timeZone: zone ?? timeZone };
  const time = momentOf(at ?? '');
  if (time === undefined)
    throw new KernelError('TOOL_FAILED', `The time ${JSON.stringify(sliceHead(at ?? '', 80))} cannot be read.`, {
      hint: 'Write it with its offset: "2027-01-31T09:00:00+01:00".',
    });
  return { at: time };
}

/** The moment of a text; undefined for a day that no month has, and without an offset: it would be meant in nobody knows which zone. */
function momentOf(text: string): number | undefined {
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i.exec(text) ?? [];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time)) return undefined;
  // February 30 would be read as March 2.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}

/**
 * Looks at all times of the next days (UTC; they only limit the work) that have some, since the gaps of a pattern
 * differ, and it may begin in a year.
 */
function checkInterval(time: ScheduleTime, nowMs: number, minIntervalMs: number): void {
  const days = new Set<number>();
  let last = -Infinity;
  for (let next = nextTime(time, nowMs); next !== undefined && days.size < CHECKED_DAYS; next = nextTime(time, next)) {
    if (next - last < minIntervalMs)
      throw new KernelError('TOOL_FAILED', `That is more often than every ${minIntervalMs / 60_000} minutes.`, {
        hint: 'Make it rarer.',
      });
    days.add(Math.floor(next / DAY_MS));
    last = next;
  }
}

function describe({ id, task, time, limits, nextMs }: Schedule): string {
  const when = 'at' in time ? 'once' : `${time.cron} (${time.timeZone})`;
  const next = nextMs === undefined ? 'never again' : `next ${new Date(nextMs).toISOString()}`;
  const turns = limits.turns === undefined ? '' : `, at most ${limits.turns} turns`;
  return `${id}: ${when}, ${next}${turns}: ${JSON.stringify(sliceHead(task, 200))}`;
}

function missing(field: string): KernelError {
  return new KernelError('TOOL_FAILED', `"${field}" is missing.`);
}
