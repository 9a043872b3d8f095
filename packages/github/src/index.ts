export { createGitHub, type GitHubOptions } from "./create-github.ts";
export type { DeliveryFact } from "./delivery-fact.ts";
export { parseDelivery } from "./parse-delivery.ts";
export type { LimitInfo } from "./rate-limit.ts";
export { verifySignature } from "./verify-signature.ts";
