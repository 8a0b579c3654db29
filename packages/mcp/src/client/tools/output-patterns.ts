/** How long the patterns of one result may take in total. */
const BUDGET_MS = 500;
/** How many steps a match may need at worst and run without an interruption; its time is measured. */
const MAX_STEPS = 4_000_000;
/** Up to this length no pattern takes long, whatever it is. */
const SHORT = 16;

/** Tests texts against the patterns of a server's schema. */
export interface PatternTester {
  /** Whether the text matches. Throws a RangeError when the patterns of this result have taken too long. */
  matches(source: string, text: string): boolean;
}

/** Compiles a pattern with the `u` flag, or without it if it is only valid without. Throws a SyntaxError. */
export function compileServerPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Creates the tester of one result. A match that could take long runs in `node:vm`, whose time limit interrupts it. */
export function createPatternTester(): PatternTester {
  const compiled = new Map<string, { readonly pattern: RegExp; readonly maxLength: number }>();
  let leftMs = BUDGET_MS;
  return {
    matches(source, text) {
      const known = compiled.get(source) ?? {
        pattern: compileServerPattern(source),
        maxLength: directLength(source),
      };
      compiled.set(source, known);
      if (leftMs < 1) throw tooLong();
      const started = performance.now();
      try {
        return text.length <= known.maxLength
          ? known.pattern.test(text)
          : matchInterruptibly(known.pattern, text, leftMs);
      } finally {
        leftMs -= performance.now() - started;
      }
    },
  };
}

/** The length up to which a pattern may run directly: repeated groups and back references can take exponential time, others a power of it. */
function directLength(source: string): number {
  const maybes = source.match(/[?|]/g)?.length ?? 0;
  if (maybes > 10 || /\)[*+{]|\\[1-9k]/.test(source)) return SHORT;
  const repetitions = (source.match(/[*+]|,\}/g)?.length ?? 0) + (source.startsWith('^') ? 0 : 1);
  if (repetitions < 2 && maybes < 2) return Infinity;
  return Math.max(SHORT, Math.floor((MAX_STEPS / 2 ** maybes) ** (1 / Math.max(1, repetitions))));
}

function matchInterruptibly(pattern: RegExp, text: string, timeoutMs: number): boolean {
  const vm = process.getBuiltinModule('node:vm');
  script ??= new vm.Script('pattern.test(text)');
  const context = vm.createContext({ pattern, text });
  try {
    return script.runInContext(context, { timeout: Math.ceil(timeoutMs) }) === true;
  } catch {
    throw tooLong();
  }
}

let script: { runInContext(context: object, options: { readonly timeout: number }): unknown } | undefined;

function tooLong(): RangeError {
  return new RangeError('a pattern of the schema takes too long on it');
}
