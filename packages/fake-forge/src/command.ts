import { Command, InvalidArgumentError } from "commander";
import { ForgeStartError } from "./errors.ts";
import { readSeedFile } from "./seed/read-seed.ts";
import { startFakeForge } from "./start-fake-forge.ts";

/** Exit status by reason. */
const EXIT: Record<ForgeStartError["code"], number> = {
  FORGE_SEED_INVALID: 2,
  FORGE_PORT_TAKEN: 3,
  FORGE_DATA_UNWRITABLE: 4,
  FORGE_DATA_UNREADABLE: 4,
};

interface Flags {
  port: number;
  data: string;
  seed?: string;
  socket?: string;
  untilStdinEnds?: true;
}

/** Runs `fake-forge` until SIGTERM, SIGINT or, when asked to, the end of its input; resolves with the exit status. */
export async function fakeForgeCommand(argv: readonly string[]): Promise<number> {
  const command = new Command("fake-forge")
    .description("A strict GitHub stand-in with real git, checks and webhooks, on loopback only.")
    .option("--port <n>", "TCP port on 127.0.0.1; 0 takes a free one", parsePort, 0)
    .requiredOption("--data <dir>", "where repositories and state are kept")
    .option("--seed <file>", "YAML or JSON seed, applied when the data directory is new")
    .option("--socket <path>", "also listen on this unix socket")
    .option("--until-stdin-ends", "end when standard input does, and so with the process that holds it");
  command.parse(argv, { from: "user" });
  const flags = command.opts<Flags>();
  try {
    return await serve(flags);
  } catch (cause) {
    if (!(cause instanceof ForgeStartError)) throw cause;
    process.stderr.write(`fake-forge: ${cause.message}\n`);
    return EXIT[cause.code];
  }
}

async function serve(flags: Flags): Promise<number> {
  const forge = await startFakeForge({
    dataDir: flags.data,
    port: flags.port,
    seed: flags.seed === undefined ? {} : readSeedFile(flags.seed),
    ...(flags.socket === undefined ? {} : { socket: flags.socket }),
  });
  process.stdout.write(`${JSON.stringify({ event: "listening", url: forge.url, pid: process.pid })}\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
    if (flags.untilStdinEnds === true) process.stdin.once("close", resolve).once("end", resolve).resume();
  });
  await forge.close();
  return 0;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("not a port");
  return port;
}
