import type { ToolPhrase } from '@kernel/offline';
import { phrases } from './phrases-of.ts';

/** How people ask for another day or time than now. What was, needs a date with its year: `christmas` is the next one. */
export const DATE_PHRASES: readonly ToolPhrase[] = [
  ...['tomorrow', 'yesterday'].flatMap((date) =>
    phrases({ date }, [
      `what (day|date|weekday) (is|was|will) (it|be|) (be|) ${date}`,
      `what (day|date|weekday) of week (is|was) (it|) ${date}`,
      `what (is|was|will) (be|) date ${date}`,
      `(date|day|weekday) (of|) ${date}`,
      `what (is|was) (${date}'s|${date}’s) (date|weekday)`,
      `(${date}'s|${date}’s) (date|weekday)`,
      date,
    ]),
  ),
  ...phrases({ offset: '2 days' }, [
    'day after tomorrow',
    'date of day after tomorrow',
    'what (day|date) is (it|) day after tomorrow',
  ]),
  ...phrases({ date: '{date}' }, [
    '(how|) (many|) days (are|) (there|left|) (until|till|til) {date}',
    '(how|) (many|) days to (go|) (until|till|) {date}',
    'how long (is|) (it|) (until|till|til) {date}',
    'how far away is {date}',
    'how many days away is {date}',
    'when is {date}',
    'what (day|weekday|date) is {date}',
    'what day of week is {date}',
    'what (day|weekday) (does|will) {date} (fall|be) (on|)',
    'on (what|which) (day|weekday) (does|will) {date} (fall|be)',
    '(which|what) (day|weekday) is {date}',
    '(day|weekday) of {date}',
  ]),
  ...['next', 'last'].flatMap((which) =>
    phrases({ date: `${which} {weekday}` }, [
      `(date|day|weekday) (of|) ${which} {weekday:weekday}`,
      `${which} {weekday:weekday}`,
      `when (is|was) ${which} {weekday:weekday}`,
      `what (day|date|weekday) (is|was) (it|) ${which} {weekday:weekday}`,
      `what (is|was) date (of|) ${which} {weekday:weekday}`,
    ]),
  ),
  ...phrases({ date: 'next {weekday}' }, [
    '(how|) (many|) days (are|) (there|left|) (until|till|til|to) next {weekday:weekday}',
    'how long (is|) (it|) (until|till|til) next {weekday:weekday}',
  ]),
  ...phrases({ date: '{day}' }, [
    'what (day|weekday) (was|is) (it|) (on|) {day:day}',
    'what day of week (was|is) (it|) (on|) {day:day}',
    '(how|) (many|) days (since|after) {day:day}',
    'how many days (have|has) passed since {day:day}',
    'how many days ago (was|is) {day:day}',
    '(day|weekday) of (week|) {day:day}',
  ]),
  ...phrases({ since: '{since}', date: '{date}' }, [
    '(how|) (many|) days (are|) (there|) between {since:day} and {date:day}',
    '(how|) (many|) days (are|) (there|) from {since:day} (to|until|till) {date:day}',
  ]),
  ...phrases({ offset: '{offset}' }, [
    'in {offset:duration}',
    '{offset:duration} from (now|today)',
    'what (time|day|date|weekday|month|year) (is|will) (it|) (be|) in {offset:duration}',
    'what (time|day|date|weekday|month|year) (is|will) (it|) (be|) {offset:duration} from (now|today)',
    'what will (time|date|day) be in {offset:duration}',
    '(time|date|day) in {offset:duration}',
    'date {offset:duration} from (now|today)',
  ]),
  ...phrases({ offset: '-{offset}' }, [
    '{offset:duration} ago',
    'what (time|day|date|weekday|month|year) was (it|) {offset:duration} ago',
    'what was date {offset:duration} ago',
    'date {offset:duration} ago',
  ]),
];
