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

/** True for a path that decides what CI runs or who must review; compared without case, as some file systems do. */
export function isCiFile(path: string): boolean {
  const name = path.toLowerCase().replace(/\.yaml$/, ".yml");
  return (
    FILES.includes(name) || FILES.includes(path.toLowerCase()) || FOLDERS.some((it) => name.startsWith(it))
  );
}
