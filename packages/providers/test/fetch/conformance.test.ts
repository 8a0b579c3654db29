import '../use-fetch.ts';
import '../wire/conformance.test.ts';
