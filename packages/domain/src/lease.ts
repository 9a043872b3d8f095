/** A time-bounded exclusive right to one job. `fence` grows with every new holder and is checked at every write. */
export interface Lease {
  readonly jobId: string;
  readonly holder: string;
  readonly fence: number;
  /** ISO time after which somebody else may take it. */
  readonly expiresAt: string;
}

export type LeaseAttempt =
  | { readonly kind: "acquired"; readonly lease: Lease }
  | { readonly kind: "held"; readonly by: string; readonly expiresAt: string };
