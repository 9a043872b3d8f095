import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { accountOf } from "../state/lookup.ts";
import type { Viewer } from "./access.ts";

/**
 * The viewer of an Authorization header; null without one. Never falls back to a default user.
 * Throws ApiError 401 "Bad credentials" for a token nobody has, or a header that can't be read.
 */
export function authenticate(forge: Forge, header: string | undefined): Viewer | null {
  if (header === undefined || header === "") return null;
  const secret = readSecret(header);
  const token = forge.state.tokens.find((it) => it.token === secret);
  if (token === undefined) throw new ApiError(401, "Bad credentials");
  return { token, account: accountOf(forge, token.login) };
}

function readSecret(header: string): string | null {
  const [scheme = "", value = ""] = header.split(/\s+(.*)/s);
  switch (scheme.toLowerCase()) {
    case "bearer":
    case "token":
      return value.trim();
    case "basic": {
      // The token is the password; `git` sends any user name, x-access-token by custom.
      const [user = "", password = ""] = Buffer.from(value, "base64").toString("utf8").split(/:(.*)/s);
      return password === "" || password === "x-oauth-basic" ? user : password;
    }
    default:
      return null;
  }
}
