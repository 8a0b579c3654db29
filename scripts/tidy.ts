/**
 * Checks the rules of the repository on the built tree and prints every violation; exits 1 if there is one. With --fix
 * it first writes what can be derived: README snippets, the program's list of flags, each package's api.txt, the
 * manifests' repository, and the sizes.
 */
import { join } from 'node:path';
import { formatProblem, type Problem, type Rule } from './lib/problem.ts';
import { withProject } from './lib/ts.ts';
import { api, writeApi } from './rules/api.ts';
import { changesets } from './rules/changesets.ts';
import { deprecations } from './rules/deprecations.ts';
import { guarantees } from './rules/guarantees.ts';
import { classes } from './rules/classes.ts';
import { documented } from './rules/documented.ts';
import { fileShape } from './rules/file-shape.ts';
import { flagList, writeFlagList } from './rules/flag-list.ts';
import { folders } from './rules/folders.ts';
import { getters } from './rules/getters.ts';
import { internal } from './rules/internal.ts';
import { layers } from './rules/layers.ts';
import { manifests, writeRepository } from './rules/manifests.ts';
import { codeMap } from './rules/code-map.ts';
import { programs } from './rules/programs.ts';
import { oneTool } from './rules/one-tool.ts';
import { requirements } from './rules/requirements.ts';
import { size, writeSize } from './rules/size.ts';
import { duplicateCode } from './rules/duplicate-code.ts';
import { vendorNames } from './rules/vendor-names.ts';
import { snippets, syncSnippets } from './rules/snippets.ts';
import { slowPatterns } from './rules/slow-patterns.ts';
import { tests } from './rules/tests.ts';
import { textCuts } from './rules/text-cuts.ts';

const root = join(import.meta.dirname, '..');
const textRules: readonly Rule[] = [
  layers,
  fileShape,
  folders,
  classes,
  internal,
  duplicateCode,
  getters,
  slowPatterns,
  codeMap,
  guarantees,
  snippets,
  flagList,
  vendorNames,
  tests,
  programs,
  manifests,
  deprecations,
];

// CI runs this after all tests; a developer may not have run them.
const proofs = requirements(root, { complete: Boolean(process.env['CI']) });
const problems = withProject(
  join(import.meta.dirname, 'tsconfig.declarations.json'),
  (exportsOf): readonly Problem[] => {
    if (process.argv.includes('--fix')) {
      for (const file of syncSnippets(root)) console.log(`${file}: snippets updated`);
      writeFlagList(root);
      writeApi(root, exportsOf);
      writeRepository(root);
      writeSize(root);
    }
    return [
      ...textRules.flatMap((rule) => rule(root)),
      ...textCuts(root),
      ...proofs.problems,
      ...oneTool(root, exportsOf),
      ...api(root, exportsOf),
      ...size(root),
      ...documented(root, exportsOf),
      ...changesets(root),
    ];
  },
);
for (const note of proofs.notes) console.log(`requirements: ${note}`);
for (const problem of problems) console.log(formatProblem(problem));
console.log(problems.length === 0 ? 'tidy: every rule holds' : `tidy: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
