// What a team that writes Java does to follow payments: the Kafka client alone, and the headers of a record. It has a group
// of its own, drops what it has seen by ce_id, and ignores types that it does not know. The jar of protobuf and
// proto/events/v1/events.proto read the value, where the headers are not enough.
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

class ConfirmedPayments {
  public static void main(String[] args) {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", args[0], "group.id", args[2],
        "auto.offset.reset", "earliest", "enable.auto.commit", "false");
    // A real consumer keeps the ids in its database, in the transaction that does its work.
    Set<String> seen = new HashSet<>();
    try (var consumer = new KafkaConsumer<String, byte[]>(
        settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(args[1]));
      while (true) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          if (!"payment.confirmed".equals(header(record, "ce_type"))) continue;
          if (!seen.add(header(record, "ce_id"))) continue;
          System.out.println(String.join(" ", record.key(), header(record, "ce_subject"),
              header(record, "ce_mode"), header(record, "ce_time")));
        }
        consumer.commitSync();
      }
    }
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    var header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }
}
