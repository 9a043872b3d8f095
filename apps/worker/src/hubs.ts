import type { RepositoryName } from "@worktree-hive/domain";
import { repositoryKey } from "@worktree-hive/domain";
import { type GitCredentials, type Hub, openHub } from "@worktree-hive/gates";
import type { DataLayout } from "./layout.ts";

/** The hubs of this host, each opened once. */
export interface Hubs {
  of(repository: RepositoryName): Promise<Hub>;
}

export function createHubs(options: {
  readonly layout: DataLayout;
  readonly gitUrl: string;
  readonly credentials: GitCredentials;
}): Hubs {
  const opened = new Map<string, Promise<Hub>>();
  return {
    of(repository) {
      const key = repositoryKey(repository);
      const known = opened.get(key);
      if (known !== undefined) return known;
      const hub = openHub({
        dir: options.layout.hub(repository),
        repository,
        url: `${options.gitUrl.replace(/\/+$/, "")}/${repository.owner}/${repository.name}.git`,
        credentials: options.credentials,
      });
      opened.set(key, hub);
      // A hub that could not be opened is tried again by the next caller.
      hub.catch(() => opened.delete(key));
      return hub;
    },
  };
}
