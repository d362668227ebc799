// Faults that a run draws from its seed: three at once, each of another part, each for some seconds.
import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { type Fault, freezeProcess, type Random } from "@pay/testing";
import { reorganise } from "./chaos-chain.ts";
import type { Stage } from "./chaos-stage.ts";

export interface Drawn {
  name: string;
  /** Two of one part would hide each other. */
  part: string;
  begin(stage: Stage): unknown;
  end(stage: Stage): unknown;
}

export interface Timed extends Drawn {
  afterMs: number;
  forMs: number;
}

const AT_ONCE = 3;
const BEGIN_WITHIN_MS = 5_000;
const SHORTEST_MS = 5_000;
const LONGEST_MS = 20_000;
const CLOCK_JUMP_MS = 600_000;
const SLOW_MS = 200;
const REORG_DEPTH_MAX = 3;

const LIES: Record<string, (stage: Stage) => void> = {
  stalls: ({ provider }) => provider.fail({ kind: "stall" }),
  "hangs up": ({ provider }) => provider.fail({ kind: "hang-up" }),
  "answers 429": ({ provider }) => provider.fail({ kind: "status", status: 429 }),
  "answers garbage": ({ provider }) => provider.fail({ kind: "text", body: "<html>" }),
  "is three blocks behind": ({ provider }) => provider.lag(3),
  "hides transfers": ({ provider }) => provider.fail(answer([]), { methods: ["eth_getLogs"] }),
  "hides transactions": ({ provider }) =>
    provider.fail(answer(null), {
      methods: ["eth_getTransactionReceipt", "eth_getTransactionByHash"],
    }),
};

function answer(value: unknown): Fault {
  return { kind: "change", change: () => value };
}

function buildKill(name: ServiceName): Drawn {
  return {
    name: `kill ${name}`,
    part: name,
    begin: (stage) => stage.take(name),
    end: (stage) => stage.giveBack(name),
  };
}

function buildFreeze(name: ServiceName): Drawn {
  let pid = 0;
  return {
    name: `freeze ${name}`,
    part: name,
    begin: ({ cluster }) => {
      pid = cluster.product.children.get(name)?.pid ?? 0;
      return freezeProcess(pid);
    },
    end: () => {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // It was killed meanwhile.
      }
    },
  };
}

function buildClockJump(name: ServiceName, jumpMs: number): Drawn {
  return {
    name: `clock of ${name} ${jumpMs / 1_000} s off`,
    part: name,
    begin: (stage) => stage.setClock(name, jumpMs),
    end: (stage) => stage.setClock(name, 0),
  };
}

function buildPartition(
  name: ServiceName,
  from: "database" | "callers",
  how: "cut" | "hold",
): Drawn {
  function findRoute({ routes }: Stage) {
    return routes[from].get(name);
  }

  return {
    name: `${name} and its ${from} apart (${how})`,
    part: `${from} of ${name}`,
    begin: (stage) => findRoute(stage)?.[how](),
    end: (stage) => findRoute(stage)?.mend(),
  };
}

function buildSlowness(name: ServiceName): Drawn {
  let timer: NodeJS.Timeout;
  return {
    name: `the database of ${name} is slow`,
    part: `database of ${name}`,
    begin: ({ routes }) => {
      let isHeld = false;
      timer = setInterval(() => {
        isHeld = !isHeld;
        routes.database.get(name)?.[isHeld ? "hold" : "mend"]();
      }, SLOW_MS);
    },
    end: ({ routes }) => {
      clearInterval(timer);
      routes.database.get(name)?.mend();
    },
  };
}

/** The next fault of the seed. */
function draw(random: Random): Drawn {
  const name = random.pick(SERVICE_NAMES);
  const kinds: (() => Drawn)[] = [
    () => buildKill(name),
    () => buildFreeze(name),
    () => buildClockJump(name, random.pick([CLOCK_JUMP_MS, -CLOCK_JUMP_MS])),
    () => buildPartition(name, "database", random.pick(["cut", "hold"])),
    () => buildPartition(name, "callers", random.pick(["cut", "hold"])),
    () => buildSlowness(name),
    () => ({
      name: "kill Postgres",
      part: "Postgres",
      begin: ({ cluster }) => cluster.postgres.kill(),
      end: ({ cluster }) => cluster.postgres.restart(),
    }),
    () => ({
      name: "kill Kafka",
      part: "Kafka",
      begin: ({ cluster }) => cluster.kafka.kill(),
      end: ({ cluster }) => cluster.kafka.restart(),
    }),
    () => ({
      name: "freeze Kafka",
      part: "Kafka",
      begin: ({ cluster }) => cluster.kafka.freeze(),
      end: ({ cluster }) => cluster.kafka.thaw(),
    }),
    () => ({
      name: "the disk under all tables is full",
      part: "disk",
      begin: ({ disk }) => disk?.fill(0),
      end: ({ disk }) => disk?.makeRoom(),
    }),
    () => {
      const [lie, begin] = random.pick(Object.entries(LIES));
      return {
        name: `a provider ${lie}`,
        part: "provider",
        begin,
        end: ({ provider }) => provider.heal(),
      };
    },
    () => {
      const depth = 1 + random.below(REORG_DEPTH_MAX);
      return {
        name: `a reorganisation of ${depth} blocks`,
        part: "chain",
        begin: (stage) => reorganise(stage, depth),
        end: () => {},
      };
    },
    () => ({
      name: "the receiver answers 500",
      part: "receiver",
      begin: ({ shop }) => shop.receiver.respondWith(500),
      end: ({ shop }) => shop.receiver.respondWith(200),
    }),
  ];
  return random.pick(kinds)();
}

/** The same for the same seed. */
export function drawFaults(random: Random): Timed[] {
  const drawn: Timed[] = [];
  while (drawn.length < AT_ONCE) {
    const fault = draw(random);
    const afterMs = random.below(BEGIN_WITHIN_MS);
    const forMs = SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS);
    if (drawn.every(({ part }) => part !== fault.part)) drawn.push({ ...fault, afterMs, forMs });
  }
  return drawn;
}
