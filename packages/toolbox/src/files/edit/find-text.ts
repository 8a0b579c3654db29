import { quote, toolError } from '../../workspace/errors.ts';
import { count } from '../describe.ts';
import { locateAlike, describeMismatch } from './find-alike.ts';
import { linesOf, locateLoosely, normalizeSpace } from './find-loosely.ts';
import { indexOfText } from './find-sequence.ts';
import { missingCharacter } from '../../text/encoding.ts';
import { foldText } from '../../text/fold-text.ts';
import { describeCharacter, type TextFile } from '../text-file.ts';
import { type Replaced, lineList, type TextEdit, toEnding } from './line-diff.ts';

const MAX_PLACES = 100_000;

export function locateEdits(path: string, file: Omit<TextFile, 'info'>, edits: readonly TextEdit[]) {
  const { ending, format, text } = file;
  const ways = new Map<string, number>();
  let near: NearSearch | undefined;
  const found = edits.flatMap((edit, index) => {
    const which = edits.length === 1 ? 'old_text' : `old_text of edit ${index + 1}`;
    const refuse = (problem: string): Error => toolError(`${quote(path)}: ${which} ${problem} Nothing was changed.`);
    if (edit.old_text === '') throw refuse('is empty; use write_file for a whole file.');
    if (edit.old_text === edit.new_text) throw refuse('is the same as new_text.');
    const exact = locateExactly(text, edit, ending);
    if (exact.length > 1 && edit.replace_all !== true)
      throw refuse(
        `occurs ${exact.length} times, in ${lineList(text, exact)}. Add lines around it, or set replace_all.`,
      );
    if (exact.length > 0) return exact;
    near ??= createNearSearch(text, ending);
    const { how, places, why } = near(edit);
    if (places.length === 0) {
      const foreign = missingCharacter(edit.old_text, format);
      const advice =
        foreign === undefined
          ? 'Read the file and copy the text exactly.'
          : `It is read as Windows-1252, which does not have ${describeCharacter(foreign)}: copy what read_file shows.`;
      throw refuse(`is not in the file${why} ${advice}`);
    }
    if (places.length > 1)
      throw refuse(`matches only ${how}, and then in several places: ${lineList(text, places)}. Copy it exactly.`);
    ways.set(how, (ways.get(how) ?? 0) + 1);
    return places;
  });
  const replacements = found.toSorted((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, { start }] of replacements.entries()) {
    if (start < (replacements[index - 1]?.end ?? 0))
      throw toolError(
        `${quote(path)}: two edits overlap in ${lineList(text, [{ start }])}; make them one. Nothing was changed.`,
      );
  }
  return {
    replacements,
    /** How edits were read that did not fit exactly, each way once, for the model. */
    notes: [...ways].map(([how, times]) => `${count(times, 'edit')} matched only ${how}; check the result.`),
  };
}

/** Finds where a text that does not occur as written may be meant, by the first tolerant comparison that matches anywhere. */
export type NearSearch = (edit: TextEdit) => {
  readonly places: readonly Replaced[];
  readonly how: string;
  readonly why: string;
};

export function createNearSearch(text: string, ending: '\n' | '\r\n'): NearSearch {
  const folded = memoized(() => foldText(text));
  const lines = memoized(() => linesOf(text));
  const foldedLines = memoized(() => linesOf(text, foldLine));
  const alike = (edit: TextEdit): readonly Replaced[] => locateAlike(folded(), edit, ending);
  const written = (edit: TextEdit, write: (text: string) => string | undefined): readonly Replaced[] => {
    const [oldText, newText] = [write(edit.old_text), write(edit.new_text)];
    if (oldText === undefined || oldText === edit.old_text || oldText === '' || newText === undefined) return [];
    const other = { old_text: oldText, new_text: newText };
    const exact = locateExactly(text, other, ending);
    return exact.length > 0 ? exact : alike(other);
  };
  const ways: Readonly<Record<string, (edit: TextEdit) => readonly Replaced[]>> = {
    'without comparing the kind of quotes, dashes, spaces, accents and unseen characters': alike,
    'without comparing white space': (edit) => locateLoosely(text, lines(), edit, ending),
    'without comparing white space or the kind of quotes, dashes, accents and unseen characters': (edit) =>
      locateLoosely(text, foldedLines(), edit, ending, foldLine),
    [String.raw`with \n, \t, \" and \u read as what they stand for`]: (edit) => written(edit, unescaped),
    'without the numbers that are shown before lines': (edit) => written(edit, withoutNumbers),
    'with &lt;, &gt;, &amp; and &quot; read as what they stand for': (edit) => written(edit, withoutEntities),
    [String.raw`with line breaks and tabs read as \n and \t`]: (edit) => written(edit, escaped),
    'with each backslash read as two': (edit) => written(edit, (each) => each.replaceAll('\\', String.raw`\\`)),
    'with characters read as their escapes': (edit) => {
      const lower = written(edit, (each) => withEscapes(each, false));
      return lower.length > 0 ? lower : written(edit, (each) => withEscapes(each, true));
    },
  };
  return (edit) => {
    for (const [how, locate] of Object.entries(ways)) {
      const places = locate(edit);
      if (places.length > 0) return { places, how, why: '' };
    }
    return { places: [], how: '', why: describeMismatch(text, folded(), edit.old_text) };
  };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Reads the escapes of JSON, and `\x…` and `\u{…}`, as texts are shown in errors and by `view`. */
function unescaped(text: string): string {
  return text
    .replaceAll(
      /\\(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|u\{(10[\dA-Fa-f]{4}|[\dA-Fa-f]{1,5})\}|([nrt"'\\]))/g,
      (_, four = '', two = '', point = '', escape = '') => {
        const unit = `${four}${two}`;
        if (unit !== '') return String.fromCharCode(Number.parseInt(unit, 16));
        if (point !== '') return String.fromCodePoint(Number.parseInt(String(point), 16));
        return ESCAPES[String(escape)] ?? String(escape);
      },
    )
    .toWellFormed();
}

/** How `read_file` and `view` number a line. */
const NUMBER = /^ *\d+\t/;

/** A text of which each line has a number, without them; the text as it is if none has, and undefined if only some have. */
function withoutNumbers(text: string): string | undefined {
  const lines = text.split('\n');
  const written = lines.filter((line, index) => line !== '' || index < lines.length - 1);
  const numbered = written.filter((line) => NUMBER.test(line)).length;
  if (numbered === 0) return text;
  return numbered === written.length ? lines.map((line) => line.replace(NUMBER, '')).join('\n') : undefined;
}

/** What models that write HTML write for these characters; an ampersand last, so that nothing is read twice. */
const ENTITIES = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&amp;', '&'],
] as const;

function withoutEntities(text: string): string {
  return ENTITIES.reduce((read, [entity, character]) => read.replaceAll(entity, character), text);
}

function withEscapes(text: string, isUpper: boolean): string {
  return text.replaceAll(/[^\0-\u007F]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return String.raw`\u` + (isUpper ? code.toUpperCase() : code);
  });
}

function escaped(text: string): string {
  return text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`);
}

/** Models write `\n`; a file with `\r\n` is meant all the same, and keeps its endings. */
function locateExactly(
  text: string,
  { new_text: newText, old_text: oldText }: TextEdit,
  ending: '\n' | '\r\n',
): readonly Replaced[] {
  const asWritten = placesOf(text, oldText, withEnding(newText, ending, oldText));
  if (asWritten.length > 0 || !oldText.includes('\n')) return asWritten;
  for (const other of ['\r\n', '\n'] as const) {
    const places = placesOf(text, toEnding(oldText, other), toEnding(newText, other));
    if (places.length > 0) return places;
  }
  return [];
}

function placesOf(text: string, wanted: string, by: string): readonly Replaced[] {
  const places: Replaced[] = [];
  for (let at = indexOfText(text, wanted, 0); at !== -1; at = indexOfText(text, wanted, at + wanted.length)) {
    places.push({ start: at, end: at + wanted.length, text: by });
    if (places.length > MAX_PLACES)
      throw toolError(`The text occurs more than ${MAX_PLACES} times. Nothing was changed.`);
  }
  return places;
}

/** New lines get the file's ending, unless the text to replace says otherwise. */
function withEnding(text: string, ending: '\n' | '\r\n', oldText: string): string {
  return oldText.includes('\n') && !oldText.includes('\r\n') ? text : toEnding(text, ending);
}

function foldLine(line: string): string {
  return normalizeSpace(foldText(line).text);
}

function memoized<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
