/**
 * For programs of tests that are killed: what they have compiled is kept for the next process. Node does so by itself only when a process ends
 * by itself. All of a program has been compiled when the first of its modules runs.
 */
import { flushCompileCache } from 'node:module';

flushCompileCache();
