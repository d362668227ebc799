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

  test("the gateway's port and admin ports are open unless their callers are named, by policies of the pods", async () => {
    const all = await manifests(example("minimal"));
    for (const service of ["gateway", ...Object.keys(SERVICES)]) {
      expect(rulesFor(all, service, 9_090).map(({ from }) => from)).toEqual([undefined]);
      const { template } = named(all, "Deployment", `pay-${service}`).spec;
      const { podSelector } = named(all, "NetworkPolicy", `pay-${service}`).spec;
      expect(template.metadata.labels).toMatchObject(podSelector.matchLabels);
    }
    expect(rulesFor(all, "gateway", 8_080).map(({ from }) => from)).toEqual([undefined]);
    const peer = (name: string) => ({
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
    });
    const networkPolicy = { gatewayFrom: [peer("ingress")], monitorFrom: [peer("monitoring")] };
    const bound = await manifests(example("minimal"), { networkPolicy });
    for (const service of ["gateway", ...Object.keys(SERVICES)]) {
      const readers = rulesFor(bound, service, 9_090).map(({ from }) => from);
      expect(readers).toEqual([networkPolicy.monitorFrom]);
    }
    const [{ from }] = rulesFor(bound, "gateway", 8_080) as [Manifest];
    expect(from).toHaveLength(2);
    expect(from[0]).toEqual(networkPolicy.gatewayFrom[0]);
    expect(from[1].podSelector.matchLabels[COMPONENT]).toBe("story-test");
  });

  test("the gateway alone reaches mail servers, where there is one", async () => {
    const egress = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5_432 }] }];
    const smtp = { existingSecret: "pay-smtp" };
    const all = await manifests(example("minimal"), {
      networkPolicy: { egress },
      dashboard: { smtp },
    });
    const policies = all.filter((one) => JSON.stringify(one).includes('{"port":587}'));
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(["pay-gateway"]);
  });

  test("named egress leaves a pod its DNS and its callees, and public addresses only where it calls them", async () => {
    const outside = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5_432 }] }];
    const all = await manifests(example("minimal"), { networkPolicy: { egress: outside } });
    for (const service of ["gateway", ...Object.keys(SERVICES)]) {
      const { policyTypes, egress } = named(all, "NetworkPolicy", `pay-${service}`).spec;
      expect(policyTypes).toEqual(["Ingress", "Egress"]);
      const called = Object.entries(SERVICES).filter(([, desc]) =>
        getCallers(desc).includes(service),
      );
      const anywhere = egress.filter(({ to }: Manifest) => to === undefined);
      const ports = anywhere.flatMap((rule: Manifest) =>
        rule.ports.map((one: Manifest) => one.port),
      );
      expect(ports).toEqual([53, 53]);
      const [needed, ...others] = egress.filter(({ to }: Manifest) => to !== undefined);
      expect([needed]).toEqual(outside);
      const isPublic = ({ to }: Manifest) => to[0].ipBlock !== undefined;
      const calls = others.filter((rule: Manifest) => !isPublic(rule));
      const anywherePublic: Manifest[] = others.filter(isPublic);
      const ofStrangers = ["gateway", "chains", "webhooks"].includes(service);
      expect(anywherePublic).toHaveLength(ofStrangers ? 1 : 0);
      for (const rule of anywherePublic) {
        expect(rule.ports).toEqual(service === "gateway" ? [{ port: 443 }] : undefined);
        const blocks: Manifest[] = rule.to.map(({ ipBlock }: Manifest) => ipBlock);
        expect(blocks.map(({ cidr }) => cidr)).toEqual(["0.0.0.0/0", "::/0"]);
        expect(blocks[0]?.except).toEqual(expect.arrayContaining(["169.254.0.0/16", "10.0.0.0/8"]));
        expect(blocks[1]?.except).toContain("fe80::/10");
      }
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
