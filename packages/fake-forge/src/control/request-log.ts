export interface RequestEntry {
  at: string;
  login: string | null;
  method: string;
  path: string;
  status: number;
  /** Root fields of a GraphQL document. */
  fields: string[];
  userAgent: string | null;
}

const KEPT = 5000;

/** The newest requests, in memory only. */
export class RequestLog {
  readonly entries: RequestEntry[] = [];
  readonly #fields = new WeakMap<object, string[]>();

  /** Notes the root fields of a GraphQL request before it is answered. */
  noteFields(request: object, fields: string[]): void {
    this.#fields.set(request, fields);
  }

  fieldsOf(request: object): string[] {
    return this.#fields.get(request) ?? [];
  }

  add(entry: RequestEntry): void {
    this.entries.push(entry);
    if (this.entries.length > KEPT) this.entries.splice(0, this.entries.length - KEPT);
  }
}
