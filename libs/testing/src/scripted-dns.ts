// A DNS server whose answers a test decides, question by question.
import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";

export interface Records {
  addresses: string[];
  ttlSeconds?: number;
}

export interface ScriptedDns {
  /** For the egress option dnsServers. */
  address: string;
  /** The queried names, one entry per A query. */
  asked: string[];
  /** The answers for a name from now on: a list is followed step by step per A query; "silent" never answers. */
  answer(name: string, ...steps: (Records | "silent")[]): void;
  stop(): void;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

export async function startScriptedDns(): Promise<ScriptedDns> {
  const socket = createSocket("udp4");
  const names = new Map<string, (Records | "silent")[]>();
  const current = new Map<string, Records | "silent">();
  const asked: string[] = [];

  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    if (type === TYPE_A) {
      asked.push(name);
      const steps = names.get(name) ?? [];
      const step = steps.length > 1 ? steps.shift() : steps[0];
      if (step === undefined) current.delete(name);
      else current.set(name, step);
    }
    const records = current.get(name) ?? names.get(name)?.[0];
    if (records === "silent") return;
    socket.send(reply(query.subarray(0, end), type, records), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    answer: (name, ...steps) => {
      names.set(name, steps);
      current.delete(name);
    },
    stop: () => socket.close(),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(question: Buffer, type: number, records: Records | undefined): Buffer {
  const matching = (records?.addresses ?? []).filter(
    (address) => type === (isIPv4(address) ? TYPE_A : TYPE_AAAA),
  );
  const head = Buffer.from(question);
  const unknownName = records === undefined;
  head.writeUInt16BE(unknownName ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(matching.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([
    head,
    ...matching.map((address) => record(type, address, records?.ttlSeconds ?? 0)),
  ]);
}

function record(type: number, address: string, ttlSeconds: number): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0); // the name in the question
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt32BE(ttlSeconds, 6);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = "", after = ""] = address.split("::");
  function groups(part: string) {
    return part.split(":").filter((group) => group !== "");
  }

  const [head, tail] = [groups(before), groups(after)];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  const bytes = Buffer.alloc(16);
  [...head, ...zeros, ...tail].forEach((group, index) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  });
  return bytes;
}
