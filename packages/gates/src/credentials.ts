import { HiveError, type RepositoryName } from "@worktree-hive/domain";

/** A short-lived right to one repository. */
export interface GitCredential {
  readonly username: string;
  readonly password: string;
}

/** Mints or looks up the credential for a repository; asked before every contact with the forge (S46). */
export interface GitCredentials {
  for(repository: RepositoryName): Promise<GitCredential>;
}

/** One token for every repository, for hives that are configured with a token. */
export function staticCredentials(token: string): GitCredentials {
  return { for: () => Promise.resolve({ username: "x-access-token", password: token }) };
}

/**
 * The credential in git's helper format.
 * @throws HiveError CREDENTIAL_INVALID when a value could end its line early
 */
export function credentialLines({ username, password }: GitCredential): string {
  const unsafe = Array.from(username + password).some((character) => character < " ");
  if (unsafe || password === "") {
    throw new HiveError(
      "CREDENTIAL_INVALID",
      "invalid",
      "the git credential is empty or has control characters",
    );
  }
  return `username=${username}\npassword=${password}\n`;
}

/** Takes every form of the secret out of a text: plain, percent-encoded and as basic authentication. */
export function redactSecret(text: string, { username, password }: GitCredential): string {
  const forms = [
    Buffer.from(`${username}:${password}`).toString("base64"),
    Buffer.from(password).toString("base64").replace(/=+$/, ""),
    encodeURIComponent(password),
    password,
  ];
  return forms.reduce((clean, form) => (form.length < 4 ? clean : clean.replaceAll(form, "***")), text);
}
