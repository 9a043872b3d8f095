/** One step of the schema, forward only. Its number is its place; a released one never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}
