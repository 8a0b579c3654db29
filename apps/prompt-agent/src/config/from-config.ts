// A module of its own, since it loads zod: it is imported when there is a file to read.
export { fromConfig } from '@kernel/agent/config';
