import { randomUUID } from "node:crypto";
import { z } from "zod";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { bodyOf, listAnswer, numberOf, type RepoCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { renderLogin } from "../render/account.ts";
import type { Json } from "../render/json.ts";
import { renderRepository, repositoryUrl } from "../render/repository.ts";
import type { Delivery, Hook } from "../state/hooks.ts";
import type { Repository } from "../state/repositories.ts";

const NewHook = z.object({
  name: z.literal("web").default("web"),
  active: z.boolean().default(true),
  events: z.array(z.string()).default(["push"]),
  config: z.object({
    url: z.url(),
    secret: z.string().min(1, "a hook without a secret can't be verified"),
    content_type: z.literal("json", "only application/json is sent").default("json"),
  }),
});
const READ = ["repository_hooks:read", "administration:read"] as const;
const WRITE = { needs: ["repository_hooks:write", "administration:write"] } as const;

/** Webhooks and their deliveries. */
export function hookRoutes(routes: Routes): void {
  routes.read("/hooks", READ, (call) => listAnswer(call, hooksOf(call), (it) => renderHook(call, it)));
  routes.write("POST", "/hooks", WRITE, (call) => {
    const input = bodyOf(call, NewHook);
    const hook = addHook(call.forge, call.repo, {
      ...input.config,
      events: input.events,
      active: input.active,
    });
    ping(call.forge, call.repo, hook, renderHook(call, hook), call.login);
    return { status: 201, body: renderHook(call, hook) };
  });
  routes.read("/hooks/:hook", READ, (call) => ({ body: renderHook(call, hookIn(call)) }));
  routes.write("DELETE", "/hooks/:hook", WRITE, (call) => {
    const hook = hookIn(call);
    call.forge.state.hooks = call.forge.state.hooks.filter((it) => it !== hook);
    call.forge.changed();
    return { status: 204 };
  });
  routes.read("/hooks/:hook/deliveries", READ, (call) => {
    const hook = hookIn(call);
    const { status } = call.query;
    const failed = (it: Delivery): boolean => it.statusCode < 200 || it.statusCode >= 400;
    const all = call.forge.state.deliveries.filter(
      (it) => it.hookId === hook.id && (status === undefined || failed(it) === (status === "failure")),
    );
    return listAnswer(call, all.reverse(), (it) => renderDelivery(call, it));
  });
  routes.read("/hooks/:hook/deliveries/:id", READ, (call) => ({
    body: renderFullDelivery(call, deliveryIn(call)),
  }));
  routes.write("POST", "/hooks/:hook/deliveries/:id/attempts", WRITE, (call) => {
    const { guid, event, payload } = deliveryIn(call);
    call.forge.courier.send(hookIn(call), { guid, event, payload, redelivery: true });
    return { status: 202, body: {} };
  });
}

/** Stores a hook; the seed uses it too. */
export function addHook(
  forge: Forge,
  repo: Repository,
  input: Pick<Hook, "url" | "secret" | "events" | "active">,
): Hook {
  const now = forge.now();
  const hook: Hook = {
    id: forge.nextId(),
    repositoryId: repo.id,
    url: input.url,
    secret: input.secret,
    events: input.events,
    active: input.active,
    createdAt: now,
    updatedAt: now,
  };
  forge.state.hooks.push(hook);
  forge.changed();
  return hook;
}

function ping(forge: Forge, repo: Repository, hook: Hook, rendered: Json, login: string): void {
  const payload = {
    zen: "Keep it logically awesome.",
    hook_id: hook.id,
    hook: rendered,
    repository: renderRepository(forge, repo),
    sender: renderLogin(forge, login),
  };
  forge.courier.send(hook, {
    guid: randomUUID(),
    event: "ping",
    payload: JSON.stringify(payload),
    redelivery: false,
  });
}

function hooksOf(call: RepoCall): Hook[] {
  return call.forge.state.hooks.filter((it) => it.repositoryId === call.repo.id);
}

function hookIn(call: RepoCall): Hook {
  const id = numberOf(call, "hook");
  const found = hooksOf(call).find((it) => it.id === id);
  if (found === undefined) throw notFound();
  return found;
}

function deliveryIn(call: RepoCall): Delivery {
  const hook = hookIn(call);
  const id = numberOf(call, "id");
  const found = call.forge.state.deliveries.find((it) => it.id === id && it.hookId === hook.id);
  if (found === undefined) throw notFound();
  return found;
}

function renderHook(call: RepoCall, hook: Hook): Json {
  const url = `${repositoryUrl(call.forge, call.repo)}/hooks/${hook.id}`;
  const last = call.forge.state.deliveries.findLast((it) => it.hookId === hook.id);
  return {
    type: "Repository",
    id: hook.id,
    name: "web",
    active: hook.active,
    events: hook.events,
    config: { content_type: "json", insecure_ssl: "0", url: hook.url, secret: "********" },
    updated_at: hook.updatedAt,
    created_at: hook.createdAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: {
      code: last?.statusCode ?? null,
      status: last === undefined ? "unused" : "active",
      message: last?.status ?? null,
    },
  };
}

function renderDelivery(call: RepoCall, delivery: Delivery): Json {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.redelivery,
    duration: delivery.durationSeconds,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: null,
    repository_id: call.repo.id,
    throttled_at: null,
  };
}

function renderFullDelivery(call: RepoCall, delivery: Delivery): Json {
  return {
    ...renderDelivery(call, delivery),
    url: "",
    request: { headers: delivery.requestHeaders, payload: JSON.parse(delivery.payload) as unknown },
    response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
  };
}
