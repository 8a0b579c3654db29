/** Runs before `pnpm publish` of a package, and refuses it: a release publishes all packages at once, checked, with their changelogs and provenance. */
console.error(
  'Refusing to publish one package by hand: a release publishes all of them, versioned, checked and with provenance. Run: pnpm release',
);
process.exitCode = 1;
