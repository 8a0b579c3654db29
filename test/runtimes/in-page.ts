/** The program as a page's: a function that the test calls. */
import { runToolLoops } from './tool-loop.ts';

Object.assign(globalThis, { runToolLoops });
