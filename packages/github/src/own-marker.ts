const MARKER = /^[ \t]*<!-- hive:v1\b/m;

/** True for a text that carries the hive's hidden marker at the start of a line; a quoted one (`> …`) does not count. */
export function carriesMarker(body: string): boolean {
  return MARKER.test(body);
}
