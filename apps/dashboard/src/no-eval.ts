import { config } from "zod";

/*
 * Must be loaded before any schema: zod otherwise tries at once whether it may make functions from text, which the
 * content security policy refuses and the browser then reports as an error.
 */
config({ jitless: true });
