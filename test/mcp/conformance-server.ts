// The server of the conformance suite alone, on PORT (default: any free port), until it is stopped.
import { serveFixture } from './fixture/serve.ts';

const { url, close } = await serveFixture(Number(process.env['PORT'] ?? 0));
console.log(url);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
