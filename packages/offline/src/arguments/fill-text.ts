import type { Slot } from './argument-slots.ts';
import { claim, findFree, isUnclaimed, type SlotFilling } from './slot-filling.ts';

const CUES = /^(?:in|for|at|of|to|from|near|named|called|with|as|about)$/;

/** Fills what follows the argument's own name: `to miles` for an argument `to`. */
export function fillNamedText(filling: SlotFilling, { name, concepts }: Slot): string | undefined {
  const own = name.toLowerCase();
  const at = filling.tokens.findIndex(
    ({ lower, role, concept }, index) =>
      (lower === own || (role !== 'stop' && concept === concepts.at(-1))) && isUnclaimed(filling, index + 1),
  );
  if (at === -1) return undefined;
  const to = filling.tokens[at]?.lower === own ? at + 1 : endOfRun(filling, at + 1);
  return claim(filling, at + 1, to, 'exact', 0.35);
}

/** Fills text that is marked by quotes or by a word before it. */
export function fillMarkedText(filling: SlotFilling): string | undefined {
  const quoted = findFree(filling, (token) => token.kind === 'quoted');
  if (quoted !== -1) return claim(filling, quoted, quoted, 'exact', 0.4);
  const saying = findFree(filling, ({ lower }) => lower === 'saying');
  const last = filling.tokens.length - 1;
  if (saying !== -1 && saying < last && !filling.used.has(last)) {
    claim(filling, saying, saying, 'exact', 0);
    return claim(filling, saying + 1, last, 'exact', 0.3);
  }
  const at = filling.tokens.findIndex(({ lower }, index) => CUES.test(lower) && isUnclaimed(filling, index + 1));
  return at === -1 ? undefined : claim(filling, at + 1, endOfRun(filling, at + 1), 'exact', 0.3);
}

/** Fills the first run of remaining words, from a capital letter if there is one. It adds no evidence: they could be anything. */
export function fillRemaining(filling: SlotFilling): string | undefined {
  const free = [...filling.tokens.keys()].filter((index) => isUnclaimed(filling, index));
  const isCapital = (index: number) => {
    const first = filling.tokens[index]?.text.charAt(0) ?? '';
    return first !== first.toLowerCase();
  };
  const from = free.find((index) => index > 0 && isCapital(index)) ?? free[0];
  return from === undefined ? undefined : claim(filling, from, endOfRun(filling, from), 'free', 0);
}

function endOfRun(filling: SlotFilling, from: number): number {
  let to = from;
  while (isUnclaimed(filling, to + 1) && filling.tokens[to + 1]?.kind !== 'expression') to += 1;
  return to;
}
