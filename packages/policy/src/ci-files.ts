const FILES = [
  ".gitlab-ci.yml",
  ".travis.yml",
  ".drone.yml",
  ".cirrus.yml",
  ".woodpecker.yml",
  "appveyor.yml",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "buildspec.yml",
  "cloudbuild.yaml",
  "jenkinsfile",
  "codeowners",
  ".github/codeowners",
  "docs/codeowners",
  ".github/dependabot.yml",
  ".mergify.yml",
  ".github/mergify.yml",
];
const FOLDERS = [".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/", ".woodpecker/"];

/**
 * True for a path that decides what CI runs or who must review; compared without case, as some file systems do. A
 * folder's own name counts too: a link or submodule in its place replaces all of it.
 */
export function isCiFile(path: string): boolean {
  const plain = path.toLowerCase();
  const name = plain.replace(/\.yaml$/, ".yml");
  if (FILES.includes(name) || FILES.includes(plain) || plain === ".github") return true;
  return FOLDERS.some((folder) => `${plain}/`.startsWith(folder));
}
