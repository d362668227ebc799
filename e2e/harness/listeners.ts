// The ports on which a process and its child processes listen, read from the Linux kernel.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fieldsOfStat } from "@pay/embedded";

export interface Listener {
  pid: number;
  /** As /proc writes it: words of the machine's byte order in hexadecimal digits. */
  address: string;
  port: number;
}

/** What the machine has not got for this, or undefined. */
export function missingForListeners(): string | undefined {
  return process.platform === "linux" ? undefined : "no Linux";
}

const LISTENING = "0A";
const LOOPBACK = [
  /^[0-9A-F]{6}7F$/, // 127.0.0.0/8
  /^0{24}01000000$/, // ::1
  /^0{16}FFFF0000[0-9A-F]{6}7F$/, // the first one, written in IPv6
];

export function isLoopback({ address }: Listener): boolean {
  return LOOPBACK.some((form) => form.test(address));
}

export function findListeners(pid: number): Listener[] {
  const sockets = listeningSockets();
  return findFamily(pid).flatMap((one) =>
    findInodes(one).flatMap((inode) => {
      const found = sockets.get(inode);
      return found === undefined ? [] : [{ pid: one, ...found }];
    }),
  );
}

function listeningSockets(): Map<string, Omit<Listener, "pid">> {
  return new Map(
    ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
      readLines(file).flatMap((line) => {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        const [address = "", port = ""] = local.split(":");
        return state === LISTENING
          ? [[inode, { address, port: Number.parseInt(port, 16) }] as const]
          : [];
      }),
    ),
  );
}

function findFamily(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const [stat = ""] = readLines(`/proc/${name}/stat`);
      const [, parent] = fieldsOfStat(stat);
      return { pid: Number(name), parent: Number(parent) };
    });
  const family = [pid];
  for (const one of family) {
    family.push(...parents.filter(({ parent }) => parent === one).map((child) => child.pid));
  }
  return family;
}

function findInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return filesIn(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return []; // Closed in the meantime.
    }
  });
}

/** None, where the process has ended in the meantime. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** None, where the process has ended in the meantime. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
