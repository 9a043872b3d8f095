export type Role = "none" | "read" | "triage" | "write" | "maintain" | "admin";

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

/** One real command run for every head commit of an open pull request. */
export interface CheckConfig {
  name: string;
  command: string;
  required: boolean;
  timeoutSeconds: number;
}

export interface ProtectedBranch {
  name: string;
  /** Logins whose pushes and merges are refused; null is every Bot. */
  denied: string[] | null;
}

export interface Repository {
  id: number;
  owner: string;
  name: string;
  description: string | null;
  private: boolean;
  defaultBranch: string;
  collaborators: Record<string, Role>;
  checks: CheckConfig[];
  labels: Label[];
  protectedBranches: ProtectedBranch[];
  deleteBranchOnMerge: boolean;
  /** The number the next issue or pull request gets; they share one sequence. */
  nextNumber: number;
  createdAt: string;
  updatedAt: string;
  pushedAt: string;
}
