/** Folders, and files by their whole path, that hold credentials, wherever they are: everything below them is private. Compared without case. */
export const CREDENTIAL_FOLDERS: readonly string[] = [
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
  '.local/state/kernel-toolbox',
  '.local/share/gnome-keyring',
  'library/keychains',
  '.oci',
  '.kaggle',
  '.ngrok2',
  '.cloudflared',
  '.databricks',
  '.fly',
  '.pki',
  '.thunderbird',
  '.subversion/auth',
  '.config/bravesoftware',
  '.config/chromium',
  '.config/configstore',
  '.config/doctl',
  '.config/github-copilot',
  '.config/google-chrome',
  '.config/ngrok',
  '.config/stripe',
  '.bundle/config',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.nuget/nuget.config',
  '.huggingface/token',
  '.cache/huggingface/token',
  'etc/shadow',
  'etc/gshadow',
  'etc/ssl/private',
];

const BELOW = new RegExp(`/(?:${CREDENTIAL_FOLDERS.map((path) => path.replaceAll('.', String.raw`\.`)).join('|')})/`);

const FILES = new RegExp(
  `^(?:${[
    String.raw`\.env.*|[\w-]+\.env|\.?envrc|\.flaskenv|\.secrets|[._]netrc(?:\.gpg)?|\.authinfo(?:\.gpg)?`,
    String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|pip\.conf|\.condarc|\.gemrc|\.curlrc|\.wgetrc|\.msmtprc|\.muttrc`,
    String.raw`\.git-credentials|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.htpasswd|wp-config\.php|\.snowsql|\.rediscli_auth`,
    String.raw`\.vault-token|\.s3cfg|\.boto|\.dockercfg|\.terraformrc|\.databrickscfg|kubeconfig|\.?rclone\.conf|\.(?:x|ice)authority`,
    String.raw`(?:.*[._-])?credentials(?:\.(?:json|toml|ya?ml|ini|csv|xml|db))?|(?:client_)?secrets?\.(?:json|toml|ya?ml|ini|env)`,
    String.raw`service[-_]account.*\.json|.*firebase-adminsdk.*\.json|.*-key\.json|(?:auth|token|kaggle|oauth_creds)\.json|wallet\.dat`,
    String.raw`(?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519)(?:[_-][\w@-]*)?(?:\..*)?|.*_history|\.viminfo|\.lesshst`,
    String.raw`.*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|tfvars|tfvars\.json|tfstate)`,
  ].join('|')})$`,
  'i',
);

/** What programs add to the name of a copy. */
const COPY = /(?:~|\.(?:bak|backup|old|orig|save|tmp|sw[a-p]|\d{1,3}))$/i;

/** Files that look like the ones above and are made to be shared. */
const SHARED =
  /^(?:(?:id|ssh_host)_[\w@-]+\.pub|\.env\.(?:example|sample|template|dist)|(?:example|sample|template)\.env)$/i;

/** Whether a path, absolute or relative, with `/` or `\`, is or is below something that usually holds credentials, or a copy of it. */
export function mayHoldCredentials(path: string): boolean {
  const names = path.split(/[/\\]/).filter((name) => name !== '');
  const whole = `/${names.join('/').toLowerCase()}/`;
  return BELOW.test(whole) || names.some(isCredentialFile);
}

function isCredentialFile(name: string): boolean {
  if (SHARED.test(name)) return false;
  if (FILES.test(name)) return true;
  const original = name.replace(COPY, '');
  // An editor puts a dot before the name of its copy.
  return original !== name && (FILES.test(original) || FILES.test(original.replace(/^\./, '')));
}
