import { destination, type Logger, pino, stdSerializers } from "pino";
import { prettyLine } from "./pretty.ts";
import { redact } from "./secrets.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Facts of one line. An error goes under `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * What the product logs through. At warn and error the message is a constant text, so that it can be counted and
 * alerted on; whatever varies goes in the fields.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds fields to every line: `jobId`, `runId`, `deliveryId`, … */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Lines for people instead of JSON; has an effect on a terminal only. */
  readonly pretty?: boolean;
  /** Fields of every line. */
  readonly base?: LogFields;
  /** Where lines go; standard error when left out, because standard output belongs to commands. */
  readonly destination?: { write(line: string): unknown; readonly isTTY?: boolean };
}

/** A logger whose every line, children's too, has passed `redact`. */
export function createLog(options: LogOptions): Log {
  const target = options.destination;
  const isTerminal = target === undefined ? process.stderr.isTTY === true : target.isTTY === true;
  const format = options.pretty === true && isTerminal ? prettyLine : (line: string) => line;
  const settings = {
    level: options.level,
    base: { ...options.base },
    serializers: { err: stdSerializers.errWithCause },
    hooks: { streamWrite: (line: string) => format(redact(line)) },
  };
  // Written at once: a line that waits in a buffer is missing exactly when the process dies.
  const stream = target ?? destination({ dest: 2, sync: true });
  return asLog(pino(settings, stream as { write(line: string): void }));
}

function asLog(logger: Logger): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => asLog(logger.child(fields)),
  };
}
