import '../use-fetch.ts';
import '../http/queue.test.ts';
