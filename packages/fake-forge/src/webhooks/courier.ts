import { createHmac, randomUUID } from "node:crypto";
import type { Forge } from "../forge.ts";
import type { Json } from "../render/json.ts";
import type { Delivery, Hook } from "../state/hooks.ts";
import type { Repository } from "../state/repositories.ts";

const ANSWER_WITHIN_MS = 10_000;
/** GitHub keeps deliveries for three days; here the newest ones. */
const KEPT = 500;
const BODY_KEPT = 4096;

/** Carries events to hooks: signed, once, in order per hook, never retried (babysit 4.1). */
export class Courier {
  readonly #forge: () => Forge;
  readonly #lines = new Map<number, Promise<void>>();
  readonly #abort = new AbortController();

  constructor(forge: () => Forge) {
    this.#forge = forge;
  }

  /** Sends one event to every active hook that asked for it, with one guid for all of them. */
  emit(repo: Repository, event: string, payload: Json): void {
    const forge = this.#forge();
    const guid = randomUUID();
    const wanting = (hook: Hook): boolean =>
      hook.repositoryId === repo.id &&
      hook.active &&
      (hook.events.includes("*") || hook.events.includes(event));
    for (const hook of forge.state.hooks.filter(wanting)) {
      this.send(hook, { guid, event, payload: JSON.stringify(payload), redelivery: false });
    }
  }

  /** Queues one delivery, with the faults that are set. */
  send(hook: Hook, parcel: Parcel): void {
    const { webhooks } = this.#forge().faults;
    if (!parcel.redelivery && webhooks.drop > 0) {
      webhooks.drop -= 1;
      this.#store(hook, parcel, {
        statusCode: 0,
        status: "timed out",
        durationSeconds: 10,
        headers: {},
        body: "",
      });
      return;
    }
    const times = !parcel.redelivery && webhooks.duplicate > 0 ? 2 : 1;
    if (times === 2) webhooks.duplicate -= 1;
    const delayMs = webhooks.delayMs;
    for (let n = 0; n < times; n += 1) this.#enqueue(hook, parcel, delayMs);
  }

  /** Resolves when everything that was queued has been tried. */
  async idle(): Promise<void> {
    await Promise.all(this.#lines.values());
  }

  /** Gives up what is still on its way. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.idle();
  }

  #enqueue(hook: Hook, parcel: Parcel, delayMs: number): void {
    const before = this.#lines.get(hook.id) ?? Promise.resolve();
    this.#lines.set(
      hook.id,
      before.then(async () => {
        if (delayMs > 0) await pause(delayMs, this.#abort.signal);
        if (!this.#abort.signal.aborted) this.#store(hook, parcel, await this.#post(hook, parcel));
      }),
    );
  }

  async #post(hook: Hook, parcel: Parcel): Promise<Answer> {
    const started = performance.now();
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    try {
      const response = await fetch(hook.url, {
        method: "POST",
        headers: headersFor(hook, parcel),
        body: parcel.payload,
        signal,
        redirect: "manual",
      });
      const body = (await response.text()).slice(0, BODY_KEPT);
      const status = response.ok ? "OK" : `Invalid HTTP Response: ${response.status}`;
      return {
        statusCode: response.status,
        status,
        durationSeconds: since(started),
        headers: Object.fromEntries(response.headers),
        body,
      };
    } catch (cause) {
      const status =
        cause instanceof Error && cause.name === "TimeoutError" ? "timed out" : "failed to connect to host";
      return { statusCode: 0, status, durationSeconds: since(started), headers: {}, body: "" };
    }
  }

  #store(hook: Hook, parcel: Parcel, answer: Answer): void {
    const forge = this.#forge();
    const { action } = JSON.parse(parcel.payload) as { action?: string };
    const delivery: Delivery = {
      id: forge.nextId(),
      hookId: hook.id,
      guid: parcel.guid,
      event: parcel.event,
      action: action ?? null,
      deliveredAt: forge.now(),
      redelivery: parcel.redelivery,
      durationSeconds: answer.durationSeconds,
      statusCode: answer.statusCode,
      status: answer.status,
      requestHeaders: headersFor(hook, parcel),
      payload: parcel.payload,
      responseHeaders: answer.headers,
      responseBody: answer.body,
    };
    forge.state.deliveries.push(delivery);
    if (forge.state.deliveries.length > KEPT)
      forge.state.deliveries.splice(0, forge.state.deliveries.length - KEPT);
    forge.changed();
  }
}

export interface Parcel {
  guid: string;
  event: string;
  payload: string;
  redelivery: boolean;
}

interface Answer {
  statusCode: number;
  status: string;
  durationSeconds: number;
  headers: Record<string, string>;
  body: string;
}

function headersFor(hook: Hook, parcel: Parcel): Record<string, string> {
  const digest = createHmac("sha256", hook.secret).update(Buffer.from(parcel.payload, "utf8")).digest("hex");
  return {
    accept: "*/*",
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/fa4ef0e",
    "x-github-delivery": parcel.guid,
    "x-github-event": parcel.event,
    "x-github-hook-id": String(hook.id),
    "x-github-hook-installation-target-id": String(hook.repositoryId),
    "x-github-hook-installation-target-type": "repository",
    "x-hub-signature-256": `sha256=${digest}`,
  };
}

function since(started: number): number {
  return Math.round(performance.now() - started) / 1000;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
