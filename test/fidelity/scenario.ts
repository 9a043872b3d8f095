import type { ForgeWorld, Seen } from "./forge-world.ts";

const REPO = "/repos/acme/app";
const BOT = "hive-token";
const HUMAN = "ada-token";

/** Walks through all that the forge answers, so that everything it says and sends can be checked afterwards. */
export async function playScenario(world: ForgeWorld): Promise<void> {
  await playAccounts(world);
  await playIssues(world);
  const path = await world.pushBranch("hive/1/fix", "state.txt", "bad\n");
  const pull = await playOpening(world);
  await world.forge.idle();
  await playChecks(world, pull.body.head.sha);
  await playReviews(world, pull.body.number);
  await world.commit(path, "state.txt", "good and better\n");
  await world.git(path, "push", "-q", "origin", "HEAD");
  await world.forge.idle();
  await playOutdated(world, pull.body.number);
  await playRefs(world, pull.body.head.sha);
  await playMerge(world, pull.body.number);
  await playHooks(world);
  await world.forge.idle();
}

async function playAccounts({ call }: ForgeWorld): Promise<void> {
  await call("GET", "/user", HUMAN);
  await call("GET", "/user", BOT);
  await call("GET", "/users/ada", BOT);
  await call("GET", "/users/hive[bot]", BOT);
  await call("GET", "/installation/repositories", BOT);
  await call("GET", "/rate_limit", BOT);
  await call("GET", REPO, HUMAN);
  await call("GET", REPO, BOT);
  await call("GET", "/repos/acme/none", BOT);
  await call("POST", "/user/repos", "root-token", { name: "mine", auto_init: true });
  await call("POST", "/orgs/acme/repos", "root-token", { name: "theirs", private: true });
  await call("GET", `${REPO}/collaborators/ada/permission`, BOT);
  await call("GET", `${REPO}/collaborators/hive[bot]/permission`, BOT);
}

async function playIssues({ call }: ForgeWorld): Promise<void> {
  const issue = `${REPO}/issues/1`;
  await call("GET", `${REPO}/issues?labels=bug&state=all&per_page=1`, BOT);
  await call("POST", `${REPO}/issues`, HUMAN, { title: "Another", labels: ["bug"], body: "Please" });
  await call("GET", issue, BOT);
  await call("PATCH", `${REPO}/issues/2`, HUMAN, {
    title: "Another one",
    state: "closed",
    state_reason: "not_planned",
  });
  await call("PATCH", `${REPO}/issues/2`, HUMAN, { state: "open" });
  await call("POST", `${issue}/labels`, BOT, { labels: ["hive"] });
  await call("GET", `${issue}/labels`, BOT);
  await call("DELETE", `${issue}/labels/hive`, BOT);
  await call("DELETE", `${issue}/labels/hive`, BOT);
  await call("GET", `${REPO}/labels`, BOT);
  await call("POST", `${REPO}/labels`, HUMAN, { name: "new", color: "00ff00" });
  const comment = await call("POST", `${issue}/comments`, BOT, { body: "On it." });
  await call("GET", `${issue}/comments`, BOT);
  await call("GET", `${REPO}/issues/comments/${comment.body.id}`, BOT);
  await call("PATCH", `${REPO}/issues/comments/${comment.body.id}`, BOT, { body: "On it now." });
  await call("POST", `${REPO}/issues/comments/${comment.body.id}/reactions`, BOT, { content: "eyes" });
  await call("POST", `${REPO}/issues/comments/${comment.body.id}/reactions`, BOT, { content: "eyes" });
  await call("DELETE", `${REPO}/issues/comments/${comment.body.id}`, BOT);
  await call("POST", `${issue}/comments`, "commenter-token", { body: "" });
}

async function playOpening({ call }: ForgeWorld): Promise<Seen> {
  const input = { title: "Fix it", head: "hive/1/fix", base: "main", body: "Closes #1" };
  const pull = await call("POST", `${REPO}/pulls`, BOT, input);
  await call("POST", `${REPO}/pulls`, BOT, input);
  await call("POST", `${REPO}/pulls`, BOT, { ...input, head: "nowhere" });
  const url = `${REPO}/pulls/${pull.body.number}`;
  await call("GET", `${REPO}/pulls?state=open&head=acme:hive/1/fix&base=main`, BOT);
  await call("GET", url, BOT);
  await call("GET", url, BOT);
  await call("PATCH", url, BOT, { title: "Fix it well" });
  await call("GET", `${url}/files`, BOT);
  await call("GET", `${url}/commits`, BOT);
  await call("GET", `${url}/merge`, BOT);
  await call("POST", `${REPO}/issues/${pull.body.number}/labels`, BOT, { labels: ["bug"] });
  await call("DELETE", `${REPO}/issues/${pull.body.number}/labels/bug`, BOT);
  await call("POST", `${REPO}/issues/${pull.body.number}/comments`, HUMAN, { body: "/hive status" });
  await call("PATCH", url, HUMAN, { state: "closed" });
  await call("PATCH", url, HUMAN, { state: "open" });
  return pull;
}

async function playChecks({ call, forge }: ForgeWorld, sha: string): Promise<void> {
  const runs = await call("GET", `${REPO}/commits/${sha}/check-runs`, BOT);
  const [run] = runs.body.check_runs;
  await call("GET", `${REPO}/check-runs/${run.id}`, BOT);
  await call("GET", `${REPO}/check-runs/${run.id}/annotations`, BOT);
  await call("GET", `${REPO}/commits/${sha}/check-suites`, BOT);
  await call("GET", `${REPO}/commits/${sha}/status`, BOT);
  await call("POST", `${REPO}/statuses/${sha}`, BOT, { state: "success", context: "ci/x" });
  await call("GET", `${REPO}/commits/${sha}/status`, BOT);
  await call("GET", `${REPO}/commits/${sha}/statuses`, BOT);
  await call("GET", `${REPO}/commits/${sha}/pulls`, BOT);
  const list = await call("GET", `${REPO}/actions/runs?head_sha=${sha}`, BOT);
  const [workflow] = list.body.workflow_runs;
  await call("GET", `${REPO}/actions/runs/${workflow.id}`, BOT);
  await call("GET", `${REPO}/actions/runs/${workflow.id}/jobs`, BOT);
  await call("GET", `${REPO}/actions/jobs/${run.id}`, BOT);
  await call("GET", `${REPO}/actions/jobs/${run.id}/logs`, BOT);
  await call("POST", `${REPO}/actions/runs/${workflow.id}/rerun-failed-jobs`, BOT);
  await forge.idle();
}

async function playReviews({ call, graphql, forge }: ForgeWorld, number: number): Promise<void> {
  const url = `${REPO}/pulls/${number}`;
  const comments = await call("GET", `${url}/comments`, BOT);
  const [first] = comments.body;
  await call("GET", `${REPO}/pulls/comments/${first.id}`, BOT);
  await call("POST", `${url}/comments/${first.id}/replies`, BOT, { body: "Done." });
  const inline = { path: "state.txt", line: 1, side: "RIGHT", body: "And this?", commit_id: first.commit_id };
  await call("POST", `${url}/comments`, HUMAN, inline);
  await call("POST", `${url}/reviews`, HUMAN, { event: "COMMENT", body: "Hm." });
  await call("POST", `${url}/reviews`, BOT, { event: "APPROVE" });
  await call("GET", `${url}/reviews`, BOT);
  const id = `PRRT_${Buffer.from(String(forge.state.threads[0]?.id)).toString("base64url")}`;
  const change = (name: string): string =>
    `mutation($id: ID!) { ${name}(input: {threadId: $id}) { thread { id } } }`;
  await graphql(change("resolveReviewThread"), BOT, { id });
  await graphql(change("unresolveReviewThread"), BOT, { id });
}

/** After a push changed the line that was spoken of. */
async function playOutdated({ call }: ForgeWorld, number: number): Promise<void> {
  const url = `${REPO}/pulls/${number}/comments`;
  const [first] = (await call("GET", url, BOT)).body;
  await call("POST", `${url}/${first.id}/replies`, BOT, { body: "It is gone now." });
}

async function playRefs({ call }: ForgeWorld, sha: string): Promise<void> {
  await call("GET", `${REPO}/git/ref/heads/main`, BOT);
  await call("GET", `${REPO}/git/matching-refs/heads/hive`, BOT);
  await call("POST", `${REPO}/git/refs`, BOT, { ref: "refs/heads/hive/claims/1", sha });
  await call("POST", `${REPO}/git/refs`, BOT, { ref: "refs/heads/hive/claims/1", sha });
  await call("PATCH", `${REPO}/git/refs/heads/main`, BOT, { sha });
  await call("PATCH", `${REPO}/git/refs/heads/hive/claims/1`, BOT, { sha, force: true });
  await call("DELETE", `${REPO}/git/refs/heads/hive/claims/1`, BOT);
  await call("GET", `${REPO}/branches`, BOT);
  await call("GET", `${REPO}/branches/main`, BOT);
  await call("GET", `${REPO}/branches/main/protection`, BOT);
  await call("GET", `${REPO}/rules/branches/main`, BOT);
  await call("GET", `${REPO}/commits`, BOT);
  await call("GET", `${REPO}/commits/main`, BOT);
  await call("GET", `${REPO}/compare/main...${sha}`, BOT);
  await call("GET", `${REPO}/contents/state.txt`, BOT);
  await call("PUT", `${REPO}/contents/new.txt`, BOT, { message: "Add", content: "aGk=", branch: "main" });
  await call("PUT", `${REPO}/contents/new.txt`, HUMAN, { message: "Add", content: "aGk=" });
}

async function playMerge({ call }: ForgeWorld, number: number): Promise<void> {
  const url = `${REPO}/pulls/${number}`;
  await call("PUT", `${url}/update-branch`, HUMAN, { expected_head_sha: "0".repeat(40) });
  await call("POST", `${REPO}/merges`, BOT, { base: "main", head: "hive/1/fix" });
  await call("PUT", `${url}/merge`, BOT);
  await call("PUT", `${url}/merge-async`, BOT);
  await call("PUT", `${url}/merge`, HUMAN, { sha: "0".repeat(40) });
  await call("PUT", `${url}/merge`, HUMAN, { merge_method: "squash" });
  await call("PUT", `${url}/merge-async`, HUMAN);
  await call("GET", url, BOT);
  await call("GET", `${url}/merge`, BOT);
}

async function playHooks({ call, forge }: ForgeWorld): Promise<void> {
  const config = { url: `${forge.url}/_forge/nowhere`, secret: "s", content_type: "json" };
  const hook = await call("POST", `${REPO}/hooks`, "root-token", { config, events: ["issues"] });
  await forge.idle();
  const url = `${REPO}/hooks/${hook.body.id}`;
  await call("GET", `${REPO}/hooks`, "root-token");
  await call("GET", url, "root-token");
  const deliveries = await call("GET", `${url}/deliveries`, "root-token");
  const [delivery] = deliveries.body;
  await call("GET", `${url}/deliveries/${delivery.id}`, "root-token");
  await call("POST", `${url}/deliveries/${delivery.id}/attempts`, "root-token");
  await forge.idle();
  await call("DELETE", url, "root-token");
  await call("GET", `${REPO}/hooks`, BOT);
}
