/** Who can act, and with what. Logins are stored without the `[bot]` suffix; REST adds it (babysit 2.1). */
export interface Account {
  id: number;
  login: string;
  type: "User" | "Bot" | "Organization";
  name: string | null;
  /** REST login when it is not `login[bot]`, as for `Copilot`. */
  restLogin: string | null;
  createdAt: string;
}

export type Level = "read" | "write" | "admin";

export interface Token {
  token: string;
  login: string;
  /** Permission by scope (`contents`, `pull_requests`, …); null is a classic token: all that its login may do. */
  permissions: Record<string, Level> | null;
  /** Full names of the repositories it reaches; null is every repository its login reaches. */
  repositories: string[] | null;
  /** May create repositories for anyone and change hooks. */
  admin: boolean;
}
