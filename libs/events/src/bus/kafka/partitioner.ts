import { type ICustomPartitioner, Partitioners } from "kafkajs";

const KEYS_MAX = 10_000;

/**
 * The partition every Kafka client picks for a key (murmur2), remembered per key: computing it costs kafkajs more
 * than anything else about a record, and the same few thousand projects come again and again.
 */
export const rememberingPartitioner: ICustomPartitioner = () => {
  const pick = Partitioners.DefaultPartitioner();
  const known = new Map<string, number>();
  return (args) => {
    const name = `${args.partitionMetadata.length} ${args.message.key}`;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (known.size >= KEYS_MAX) known.clear();
    const partition = pick(args);
    known.set(name, partition);
    return partition;
  };
};
