import { pointerToken } from '@kernel/internal';
import type {
  Check,
  Evaluated,
  InstancePath,
  IssueDetails,
  ValidationContext,
  ValidationIssue,
} from './check-types.ts';

export function reportIssue(
  validation: ValidationContext,
  path: InstancePath | undefined,
  value: unknown,
  details: IssueDetails,
  accepts: (candidate: unknown) => boolean,
): false {
  validation.issues?.push(createIssue(path, value, details, accepts));
  return false;
}

export function createIssue(
  path: InstancePath | undefined,
  value: unknown,
  details: IssueDetails,
  accepts: (candidate: unknown) => boolean,
): ValidationIssue {
  return { path: toPointer(path), received: value, accepts, ...details };
}

/** Allocates nothing in the fast pass. */
export function childPath(
  validation: ValidationContext,
  parent: InstancePath | undefined,
  key: string | number,
): InstancePath | undefined {
  return validation.issues === undefined ? undefined : { parent, key };
}

export function passes(check: Check, value: unknown, validation: ValidationContext): boolean {
  return check(value, undefined, withoutIssues(validation), undefined);
}

export function withoutIssues(validation: ValidationContext): ValidationContext {
  if (validation.issues === undefined) return validation;
  return { issues: undefined, memo: validation.memo, scope: validation.scope };
}

/** Empty if the value passes. */
export function collectIssues(
  check: Check,
  value: unknown,
  path: InstancePath | undefined,
  validation: ValidationContext,
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const passed = check(value, path, { issues, memo: validation.memo, scope: validation.scope }, undefined);
  return passed ? [] : issues;
}

export function createEvaluated(): Evaluated {
  return { properties: new Set(), items: new Set() };
}

export function addEvaluated(target: Evaluated | undefined, source: Evaluated | undefined): void {
  if (target === undefined || source === undefined) return;
  for (const name of source.properties) target.properties.add(name);
  for (const index of source.items) target.items.add(index);
}

function toPointer(path: InstancePath | undefined): string {
  let pointer = '';
  for (let at = path; at !== undefined; at = at.parent) pointer = `/${pointerToken(at.key)}${pointer}`;
  return pointer;
}
