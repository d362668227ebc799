// Each call goes to the next replica in turn, and passes over replicas that do not answer (peers.ts). The library's own
// round robin does the turns; this wraps what it picks. grpc-js calls this interface experimental, so its version is
// exact and test/frozen-replica.test.ts shows that it holds.
import { experimental, status } from "@grpc/grpc-js";
import { createPeers, type Peers } from "./peers.ts";

export const LOAD_BALANCING = "answering_replicas";

const ROUND_ROBIN = experimental.parseLoadBalancingConfig({ round_robin: {} });
const COMPLETE = 0;

/** A call that ends with one of these had no answer from its replica. */
const UNANSWERED: ReadonlySet<number> = new Set([status.DEADLINE_EXCEEDED, status.CANCELLED]);

type Arguments = ConstructorParameters<typeof experimental.ChildLoadBalancerHandler>;
type UpdateArguments = Parameters<experimental.ChildLoadBalancerHandler["updateAddressList"]>;

class AnsweringReplicas extends experimental.ChildLoadBalancerHandler {
  private readonly replicas: { peers: Peers; count: number };

  constructor(helper: Arguments[0]) {
    const replicas = { peers: createPeers(), count: 0 };
    super(
      experimental.createChildChannelControlHelper(helper, {
        updateState: (state, picker, message) =>
          helper.updateState(state, passOver(picker, replicas), message),
      }),
    );
    this.replicas = replicas;
  }

  override updateAddressList(...[endpoints, , ...rest]: UpdateArguments): boolean {
    if (endpoints.ok) {
      const addresses = endpoints.value.flatMap((endpoint) => endpoint.addresses);
      this.replicas.count = endpoints.value.length;
      this.replicas.peers.keep(new Set(addresses.map(experimental.subchannelAddressToString)));
    }
    return super.updateAddressList(endpoints, ROUND_ROBIN, ...rest);
  }

  override getTypeName(): string {
    return LOAD_BALANCING;
  }
}

function passOver(
  picker: experimental.Picker,
  replicas: { peers: Peers; count: number },
): experimental.Picker {
  const { peers } = replicas;
  function pick(args: experimental.PickArgs): experimental.PickResult {
    const first = picker.pick(args);
    let picked = first;
    for (let left = replicas.count; left > 0; left--) {
      if (picked.pickResultType !== COMPLETE || picked.subchannel === null) return picked;
      if (!peers.isSilent(picked.subchannel.getAddress())) return observed(picked, peers);
      picked = picker.pick(args);
    }
    return observed(first, peers);
  }

  return { pick };
}

function observed(picked: experimental.PickResult, peers: Peers): experimental.PickResult {
  const address = picked.subchannel?.getAddress();
  if (address === undefined || picked.pickResultType !== COMPLETE) return picked;
  return {
    ...picked,
    onCallStarted: () => {
      peers.began(address);
      picked.onCallStarted?.();
    },
    onCallEnded: (code, details, metadata) => {
      peers.ended(address, !UNANSWERED.has(code));
      picked.onCallEnded?.(code, details, metadata);
    },
  };
}

class NoSettings {
  static createFromJson(): NoSettings {
    return new NoSettings();
  }

  getLoadBalancerName(): string {
    return LOAD_BALANCING;
  }

  toJsonObject(): object {
    return { [LOAD_BALANCING]: {} };
  }
}

experimental.registerLoadBalancerType(LOAD_BALANCING, AnsweringReplicas, NoSettings);
