import type { Store } from "@worktree-hive/domain";
import { afterAll, beforeAll, describe } from "vitest";
import { jobsConformance, leasesConformance } from "./store/jobs-conformance.ts";
import { ledgerConformance } from "./store/ledger-conformance.ts";
import { recordsConformance } from "./store/records-conformance.ts";
import type { StoreUnderTest } from "./store/store-under-test.ts";

/** The contract of the store port. `open` is called once; the claims share the store and use jobs of their own. */
export function storeConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`store port: ${name}`, () => {
    let subject: StoreUnderTest | undefined;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      await subject?.close();
    });
    const store = (): Store => {
      if (subject === undefined) throw new Error("the store did not open");
      return subject.store;
    };
    jobsConformance(store);
    leasesConformance(store);
    ledgerConformance(store);
    recordsConformance(store);
  });
}
