/**
 * Moves the clock of a process to the local time that `TEST_CLOCK` gives, such as `2028-02-29T23:59:00`, from which it
 * goes on.
 */
const RealDate = Date;
const offsetMs = new RealDate(process.env['TEST_CLOCK'] ?? Number.NaN).getTime() - RealDate.now();

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], made) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + offsetMs] : args, made),
  apply: () => new RealDate(RealDate.now() + offsetMs).toString(),
  get: (target, name, proxy) => (name === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, name, proxy)),
});
