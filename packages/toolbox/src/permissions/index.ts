export { permissions } from './permissions.ts';
export { withPermissions } from './with-permissions.ts';
export type {
  AskPermission,
  PermissionAnswer,
  PermissionResult,
  PermissionOptions,
  PermissionRequest,
  PermissionRule,
  Permissions,
  PermissionVerdict,
} from './types.ts';
