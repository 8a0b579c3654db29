// Cuts random streams into random pieces, a million times: the events must be those of the whole.
import { eventsOf, randomStream, seeded } from '../../packages/providers/test/transport/chunkings.ts';

const TOTAL = Number(process.argv[2] ?? 1_000_000);
const PER_STREAM = 100;
const random = seeded(Number(process.argv[3] ?? 1));
const start = performance.now();
let differing = 0;
for (let done = 0; done < TOTAL; done += PER_STREAM) {
  const bytes = randomStream(random, 12);
  const whole = eventsOf(bytes);
  for (let at = 0; at < PER_STREAM; at += 1) if (eventsOf(bytes, random) !== whole) differing += 1;
}
const seconds = (performance.now() - start) / 1000;
console.log(`${TOTAL} chunkings, ${differing} differ from the whole, ${seconds.toFixed(1)} s`);
process.exitCode = differing === 0 && seconds < 60 ? 0 : 1;
