// The messages of topics and those of rpcs live apart: what a service adds for its callers is no promise to the readers
// of its topics, and an rpc may change although records of thirty days are kept.
import { lineRule, type Rule } from "./rule.ts";

const TOPICS = /^proto\/events\/.+\.proto$/;
const EVENT = "message Event {\n  string id = 1;\n";

export const CONTRACT_RULES: readonly Rule[] = [
  lineRule({
    name: "the messages of topics name nothing of a service but the mode",
    files: (path) => TOPICS.test(path),
    pattern:
      /^import\s(?!"(?:google\/protobuf\/[a-z_]+|events\/v\d+\/[a-z_]+|tenancy\/v1\/tenancy)\.proto";)|\btenancy\.v1\.(?!Mode\b)/,
    bad: [
      { "proto/events/v1/events.proto": `import "shop/v1/shop.proto";\n${EVENT}}\n` },
      { "proto/events/v1/basket.proto": 'import public "shop/v1/shop.proto";\n' },
      { "proto/events/v1/events.proto": `${EVENT}  tenancy.v1.Tenant tenant = 2;\n}\n` },
    ],
    good: [
      {
        "proto/events/v1/events.proto": `import "google/protobuf/timestamp.proto";\nimport "tenancy/v1/tenancy.proto";\nimport "events/v1/basket.proto";\n${EVENT}  tenancy.v1.Mode mode = 2;\n}\n`,
      },
    ],
  }),
  lineRule({
    name: "no rpc carries a message of the topics",
    files: (path) => /^proto\/.+\.proto$/.test(path) && !TOPICS.test(path),
    pattern: /^import\s+(?:public\s+)?"events\//,
    bad: [{ "proto/shop/v1/shop.proto": 'import "events/v1/events.proto";\n' }],
    good: [{ "proto/shop/v1/shop.proto": 'import "tenancy/v1/tenancy.proto";\n' }],
  }),
];
