import '../use-fetch.ts';
import '../wire/every-wire.test.ts';
