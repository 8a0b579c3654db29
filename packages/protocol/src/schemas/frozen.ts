import * as z from 'zod';

/** An object without other keys, frozen when it is parsed. */
export function frozen<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodReadonly<z.ZodObject<Shape, z.core.$strict>> {
  return z.strictObject(shape).readonly();
}

export function frozenList<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly();
}
