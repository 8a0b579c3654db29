import '../use-fetch.ts';
import '../http/limits.test.ts';
