import { judgeWrite } from "./paths.ts";
import { posix } from "./posix-path.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

/** Commands all of whose operands are written, made or removed. */
const WRITE_ALL = new Set("rm rmdir unlink shred mkdir touch tee truncate mv mkfifo mknod".split(" "));
/** Commands whose first operand is a mode or an owner. */
const WRITE_REST = new Set("chmod chown chgrp chattr setfacl".split(" "));
/** Commands whose last operand is the target. */
const WRITE_LAST = new Set("cp install rsync scp".split(" "));
const SYSTEM = new Set("mount umount chroot nsenter pivot_root insmod modprobe mkfs fdisk swapon".split(" "));
const TARGET_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  tar: ["-C", "--directory", "-f", "--file"],
  patch: ["-d", "--directory", "-o"],
  unzip: ["-d"],
  cp: ["-t", "--target-directory"],
  mv: ["-t", "--target-directory"],
  install: ["-t", "-D"],
};

/** Judges programs that change files; null for any other program. */
export function judgeFiles(name: string, args: readonly Arg[], scene: Scene): CommandVerdict | null {
  if (SYSTEM.has(name)) return refuse("fs.outside", `${name} changes the system`);
  if (/^p?kill(?:all)?$/.test(name)) {
    return args.some(({ text }) => /hive|gate|bwrap/i.test(text)) ? refuse("guard.tamper") : ALLOWED;
  }
  const targets = targetsOf(name, args, scene);
  if (targets === null) return null;
  const verdict = targets.map(({ path, from }) => judgeWrite(path, scene, from)).find((it) => it !== null);
  return verdict ?? null;
}

interface Target {
  readonly path: Arg;
  /** What the path is relative to. */
  readonly from: string;
}

function targetsOf(name: string, args: readonly Arg[], scene: Scene): Target[] | null {
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  const here = (paths: readonly Arg[]): Target[] => paths.map((path) => ({ path, from: scene.cwd }));
  const options = here(optionValues(args, TARGET_OPTIONS[name] ?? []));
  if (WRITE_ALL.has(name)) return [...options, ...here(operands)];
  if (WRITE_REST.has(name)) return here(operands.slice(1));
  if (WRITE_LAST.has(name)) return [...options, ...here(operands.slice(-1))];
  if (name === "ln") return linkTargets(operands, scene);
  if (name === "dd") {
    const outputs = args.filter(({ text }) => text.startsWith("of="));
    return here(outputs.map(({ text, known }) => ({ text: text.slice(3), known })));
  }
  if (name === "sed") return sedTargets(args, scene);
  return options.length > 0 ? options : null;
}

/** What a symbolic link points to can be written through it, so both ends count; it is relative to the link's place. */
function linkTargets(operands: readonly Arg[], scene: Scene): Target[] {
  const link = operands.at(-1);
  if (link === undefined) return [];
  const place = posix.dirname(posix.resolve(scene.cwd, link.text));
  const sources = operands.slice(0, -1).map((path) => ({ path, from: place }));
  return [...sources, { path: link, from: scene.cwd }];
}

function sedTargets(args: readonly Arg[], scene: Scene): Target[] | null {
  const written = args.flatMap(({ text, known }) => {
    const file = /(?:^|[;\s/\d])w\s+(\S+)\s*$/.exec(text)?.[1];
    return file === undefined ? [] : [{ path: { text: file, known }, from: scene.cwd }];
  });
  if (!args.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text)))
    return written.length > 0 ? written : null;
  const script = args.some(({ text }) => text === "-e" || text === "-f");
  const files = args.filter(({ text }) => !text.startsWith("-")).slice(script ? 0 : 1);
  return [...written, ...files.map((path) => ({ path, from: scene.cwd }))];
}

function optionValues(args: readonly Arg[], names: readonly string[]): Arg[] {
  return args.flatMap((arg, index) => {
    if (names.includes(arg.text)) return args[index + 1] ?? [];
    const name = names.find((it) => it.startsWith("--") && arg.text.startsWith(`${it}=`));
    return name === undefined ? [] : { text: arg.text.slice(name.length + 1), known: arg.known };
  });
}
