import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import type { Account } from "../state/accounts.ts";
import { accountOf, restLogin } from "../state/lookup.ts";
import type { Json } from "./json.ts";

/** `simple-user` of the REST API. */
export function renderAccount(forge: Forge, account: Account): Json {
  const login = restLogin(account);
  const url = `${forge.url}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${forge.url}/_avatars/${account.id}`,
    gravatar_id: "",
    url,
    html_url: account.type === "Bot" ? `${forge.url}/apps/${account.login}` : `${forge.url}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    site_admin: false,
  };
}

/** As renderAccount, by stored login. */
export function renderLogin(forge: Forge, login: string): Json {
  return renderAccount(forge, accountOf(forge, login));
}

/** A whole profile: `public-user`. */
export function renderProfile(forge: Forge, account: Account): Json {
  return {
    ...renderAccount(forge, account),
    name: account.name,
    company: null,
    blog: "",
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: forge.state.repositories.filter((it) => it.owner === account.login && !it.private).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: account.createdAt,
    updated_at: account.createdAt,
  };
}

/** The login REST shows for a stored one. */
export function restName(forge: Forge, login: string): string {
  return restLogin(accountOf(forge, login));
}
