// Which pods reach which ports, according to the rendered policies.

import type { DescService } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import * as proto from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { describeWithHelm, example, type Manifest, manifests, named } from "./chart.ts";

const SERVICES: Record<string, DescService> = {
  payments: proto.PaymentsService,
  customers: proto.CustomersService,
  refunds: proto.RefundsService,
  chains: proto.ChainsService,
  webhooks: proto.WebhooksService,
};

const GRPC = 50_051;
const COMPONENT = "app.kubernetes.io/component";

describeWithHelm("the network", () => {
  function rulesFor(all: Manifest[], service: string, port: number): Manifest[] {
    return named(all, "NetworkPolicy", `pay-${service}`).spec.ingress.filter(
      ({ ports }: Manifest) => ports.some((one: Manifest) => one.port === port),
    );
  }

  test("a gRPC port is open to the pods of the services that its rpcs name, and to no other", async () => {
    const all = await manifests(example("minimal"));
    for (const [service, desc] of Object.entries(SERVICES)) {
      const [rule, ...more] = rulesFor(all, service, GRPC);
      expect(more).toEqual([]);
      const from = rule?.from.map(({ podSelector }: Manifest) => podSelector.matchLabels);
      for (const labels of from) {
        expect(labels).toMatchObject({ "app.kubernetes.io/instance": "pay" });
      }
      const story = service === "webhooks" ? ["story-test"] : [];
      expect(from.map((labels: Manifest) => labels[COMPONENT]).sort()).toEqual(
        [...getCallers(desc), ...story].sort(),
      );
    }
  });

  test("the gateway's port and every admin port stay open, and each policy selects its pods", async () => {
    const all = await manifests(example("minimal"));
    for (const service of ["gateway", ...Object.keys(SERVICES)]) {
      expect(rulesFor(all, service, 9_090).map(({ from }) => from)).toEqual([undefined]);
      const { template } = named(all, "Deployment", `pay-${service}`).spec;
      const { podSelector } = named(all, "NetworkPolicy", `pay-${service}`).spec;
      expect(template.metadata.labels).toMatchObject(podSelector.matchLabels);
    }
    expect(rulesFor(all, "gateway", 8_080).map(({ from }) => from)).toEqual([undefined]);
  });

  test("where the outside is named, a pod reaches that, name servers and the services it calls; chains and webhooks reach all", async () => {
    const outside = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5_432 }] }];
    const all = await manifests(example("minimal"), { networkPolicy: { egress: outside } });
    for (const service of ["gateway", ...Object.keys(SERVICES)]) {
      const { policyTypes, egress } = named(all, "NetworkPolicy", `pay-${service}`).spec;
      expect(policyTypes).toEqual(["Ingress", "Egress"]);
      if (["chains", "webhooks"].includes(service)) {
        expect(egress).toEqual([{}]);
        continue;
      }
      const called = Object.entries(SERVICES).filter(([, desc]) =>
        getCallers(desc).includes(service),
      );
      expect(called.length > 0).toBe(service !== "customers");
      const anywhere = egress.filter(({ to }: Manifest) => to === undefined);
      const ports = anywhere.flatMap((rule: Manifest) =>
        rule.ports.map((one: Manifest) => one.port),
      );
      expect(ports).toEqual(service === "gateway" ? [53, 53, 443] : [53, 53]);
      const [needed, ...calls] = egress.filter(({ to }: Manifest) => to !== undefined);
      expect([needed]).toEqual(outside);
      for (const { to, ports } of calls) {
        expect([to.length, ports]).toEqual([1, [{ port: GRPC }]]);
        expect(to[0].podSelector.matchLabels).toMatchObject({
          "app.kubernetes.io/instance": "pay",
        });
      }
      expect(
        calls.map(({ to }: Manifest) => to[0].podSelector.matchLabels[COMPONENT]).sort(),
      ).toEqual(called.map(([name]) => name).sort());
    }
  });

  test("nothing reaches a migration, and it reaches what is named outside and name servers", async () => {
    const outside = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5_432 }] }];
    const all = await manifests(example("minimal"), { networkPolicy: { egress: outside } });
    const { podSelector, ...bounds } = named(all, "NetworkPolicy", "pay-migrate").spec;
    const nameServers = [
      { port: 53, protocol: "UDP" },
      { port: 53, protocol: "TCP" },
    ];
    expect(bounds).toEqual({
      policyTypes: ["Ingress", "Egress"],
      ingress: [],
      egress: [...outside, { ports: nameServers }],
    });
    const jobs = all.filter(({ kind }) => kind === "Job").map(({ spec }) => spec.template.metadata);
    expect(jobs).toHaveLength(Object.keys(SERVICES).length + 1);
    const [{ key, operator, values }] = podSelector.matchExpressions;
    expect([key, operator]).toEqual([COMPONENT, "In"]);
    expect(jobs.map(({ labels }) => labels[COMPONENT]).sort()).toEqual(values);
    for (const { labels } of jobs) expect(labels).toMatchObject(podSelector.matchLabels);
    const none = await manifests(example("minimal"), { migrations: { mode: "none" } });
    expect(none.filter(({ metadata }) => metadata.name === "pay-migrate")).toEqual([]);
  });

  test("without it, where pods go is not bounded", async () => {
    const all = await manifests(example("minimal"));
    const policies = all.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.map(({ spec }) => [spec.policyTypes, spec.egress])).toEqual(
      policies.map(() => [["Ingress"], undefined]),
    );
  });

  test("policies can be left out", async () => {
    const all = await manifests(example("minimal"), { networkPolicy: { enabled: false } });
    expect(all.filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });
});
