import '../use-fetch.ts';
import '../http/errors.test.ts';
