import '../use-fetch.ts';
import '../wire/faults.test.ts';
