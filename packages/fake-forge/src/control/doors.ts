import type { Forge } from "../forge.ts";
import type { Door } from "../state/doors.ts";

/** Writes down a try at a merge door, whatever came of it. */
export function recordDoor(forge: Forge, door: Omit<Door, "at">): void {
  forge.state.doors.push({ at: forge.now(), ...door });
  forge.changed();
}
