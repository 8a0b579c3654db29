/** Folders that hold credentials, wherever they are: everything below them is private. Compared without case. */
const FOLDERS = [
  '.git',
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.terraform.d',
  '.mozilla',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.config/sops',
  '.config/containers',
  '.config/prompt-agent',
  '.local/share/keyrings',
  '.local/state/prompt-agent',
  'library/keychains',
];

/** Names of files that hold credentials. */
const FILES =
  /^(?:\.env.*|\.?envrc|[._]netrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.htpasswd|\.vault-token|\.s3cfg|\.boto|\.dockercfg|\.terraformrc|\.rediscli_auth|\.gemrc|\.databrickscfg|\.snowsql|kubeconfig|wallet\.dat|\.?credentials(?:\.(?:json|toml|ya?ml|ini|csv|xml))?|(?:client_)?secrets?\.(?:json|toml|ya?ml|ini|env)|service[-_]account.*\.json|.*-key\.json|auth\.json|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\..*)?|.*_history|.*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfstate(?:\.backup)?))$/i;

/** Files that look like the ones above and are made to be shared. */
const SHARED = /^(?:id_\w+\.pub|\.env\.(?:example|sample|template|dist))$/i;

/** Whether a path, absolute or relative, with `/` or `\`, is or is below something that usually holds credentials. */
export function mayHoldCredentials(path: string): boolean {
  const names = path.split(/[/\\]/).filter((name) => name !== '');
  const whole = `/${names.join('/').toLowerCase()}/`;
  if (FOLDERS.some((folder) => whole.includes(`/${folder}/`))) return true;
  return names.some((name) => FILES.test(name) && !SHARED.test(name));
}
