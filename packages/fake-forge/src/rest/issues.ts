import { z } from "zod";
import { requireTriage } from "../auth/access.ts";
import { notFound } from "../errors.ts";
import { type Answer, bodyOf, listAnswer, numberOf, type RepoCall, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { closeIssue, createIssue, editIssue, reopenIssue, setLabel } from "../operations/issues.ts";
import { renderIssue } from "../render/issue.ts";
import { renderLabel, renderLabels } from "../render/repository.ts";
import type { Issue } from "../state/issues.ts";
import { findIssue } from "../state/lookup.ts";

const LabelName = z.union([
  z.string().min(1),
  z.object({ name: z.string().min(1) }).transform((it) => it.name),
]);
const NewIssue = z.object({
  title: z.union([z.string().min(1), z.number().transform(String)]),
  body: z.string().nullish(),
  labels: z.array(LabelName).default([]),
  assignees: z.array(z.string()).default([]),
});
const IssueUpdate = z.object({
  title: z.string().min(1).optional(),
  body: z.string().nullish(),
  state: z.enum(["open", "closed"]).optional(),
  state_reason: z.enum(["completed", "not_planned", "reopened"]).nullish(),
  labels: z.array(LabelName).optional(),
  assignees: z.array(z.string()).optional(),
});
const LabelsInput = z.union([
  z.object({ labels: z.array(LabelName) }).transform((it) => it.labels),
  z.array(LabelName),
]);
const NewLabel = z.object({
  name: z.string().min(1),
  color: z.string().default("ededed"),
  description: z.string().nullish(),
});
const ISSUES = { needs: ["issues:write", "pull_requests:write"] } as const;

/** Issues and labels. Pull requests answer here too: they are issues. */
export function issueRoutes(routes: Routes): void {
  routes.read("/issues", ["issues:read", "pull_requests:read"], list);
  routes.write("POST", "/issues", { needs: ["issues:write"] }, create);
  routes.read("/issues/:number", ["issues:read", "pull_requests:read"], ({ forge, repo, ...call }) => ({
    body: renderIssue(forge, repo, findIssue(forge, repo, numberOf({ forge, ...call }, "number"))),
  }));
  routes.write("PATCH", "/issues/:number", ISSUES, update);
  routes.read("/issues/:number/labels", ["issues:read", "pull_requests:read"], (call) => {
    const issue = findIssue(call.forge, call.repo, numberOf(call, "number"));
    return { body: renderLabels(call.forge, call.repo, issue.labels) };
  });
  routes.write("POST", "/issues/:number/labels", ISSUES, async (call) => {
    const issue = findIssue(call.forge, call.repo, numberOf(call, "number"));
    requireTriage(call.viewer, call.repo, null);
    for (const name of bodyOf(call, LabelsInput))
      await setLabel(call.forge, call.repo, issue, call.login, name, true);
    return { body: renderLabels(call.forge, call.repo, issue.labels) };
  });
  routes.write("DELETE", "/issues/:number/labels/:name", ISSUES, async (call) => {
    const issue = findIssue(call.forge, call.repo, numberOf(call, "number"));
    requireTriage(call.viewer, call.repo, null);
    const removed = await setLabel(call.forge, call.repo, issue, call.login, call.params.name ?? "", false);
    if (!removed) throw notFound();
    return { body: renderLabels(call.forge, call.repo, issue.labels) };
  });
  routes.read("/labels", ["issues:read", "pull_requests:read"], (call) =>
    listAnswer(call, call.repo.labels, (it) => renderLabel(call.forge, call.repo, it)),
  );
  routes.write("POST", "/labels", ISSUES, (call) => {
    requireTriage(call.viewer, call.repo, null);
    const input = bodyOf(call, NewLabel);
    const label = {
      id: call.forge.nextId(),
      name: input.name,
      color: input.color,
      description: input.description ?? null,
    };
    call.repo.labels.push(label);
    call.forge.changed();
    return { status: 201, body: renderLabel(call.forge, call.repo, label) };
  });
}

function list(call: RepoCall): Answer {
  const { forge, repo, query } = call;
  const labels = (query.labels ?? "").split(",").filter((it) => it !== "");
  const state = query.state ?? "open";
  const wanted = (it: Issue): boolean =>
    it.repositoryId === repo.id &&
    (state === "all" || it.state === state) &&
    labels.every((label) => it.labels.includes(label)) &&
    (query.assignee === undefined || it.assignees.includes(query.assignee)) &&
    (query.creator === undefined || it.author === query.creator) &&
    (query.since === undefined || it.updatedAt >= query.since);
  const issues = forge.state.issues.filter(wanted).sort((a, b) => b.number - a.number);
  if (query.direction === "asc") issues.reverse();
  return listAnswer(call, issues, (it) => renderIssue(forge, repo, it));
}

function create(call: SignedCall): Answer {
  const input = bodyOf(call, NewIssue);
  const issue = createIssue(call.forge, call.repo, call.login, { ...input, body: input.body ?? null });
  return { status: 201, body: renderIssue(call.forge, call.repo, issue) };
}

async function update(call: SignedCall): Promise<Answer> {
  const { forge, repo, login } = call;
  const issue = findIssue(forge, repo, numberOf(call, "number"));
  requireTriage(call.viewer, repo, issue);
  const input = bodyOf(call, IssueUpdate);
  await editIssue(forge, repo, issue, login, { title: input.title, body: input.body });
  if (input.labels !== undefined) await replaceLabels(call, issue, input.labels);
  if (input.assignees !== undefined) issue.assignees = input.assignees;
  if (input.state === "closed")
    await closeIssue(forge, repo, issue, login, input.state_reason ?? "completed");
  if (input.state === "open") await reopenIssue(forge, repo, issue, login);
  forge.changed();
  return { body: renderIssue(forge, repo, issue) };
}

async function replaceLabels(call: SignedCall, issue: Issue, labels: string[]): Promise<void> {
  for (const name of issue.labels.filter((it) => !labels.includes(it))) {
    await setLabel(call.forge, call.repo, issue, call.login, name, false);
  }
  for (const name of labels) await setLabel(call.forge, call.repo, issue, call.login, name, true);
}
