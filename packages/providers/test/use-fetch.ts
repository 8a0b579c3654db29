/** Imported before a test file, it runs the file's tests over `fetch`. */
import { transport } from './transport.ts';

transport.fetch = (input, init) => globalThis.fetch(input, init);
