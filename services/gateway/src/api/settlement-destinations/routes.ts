import { Failure } from "@pay/failures";
import { z } from "zod";
import { createChecked } from "../../idempotency/checked-creation.ts";
import { route } from "../../pipeline/route.ts";
import { IDS, TREASURY } from "../example-values.ts";
import { deleted } from "../field-values.ts";
import * as field from "../fields.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape, requireField } from "../response-fields.ts";
import { createdDestination, destinationItem, renderDestination } from "./response.ts";

const destinationCreation = z.object({
  chainId: field.chainId(),
  address: field
    .address()
    .meta({ description: "Address that settlements may go to.", example: TREASURY }),
  label: field.name(100).optional().describe("Label of the address."),
});

const destinationPages = z.object(field.pageFields("dst"));

const destinations = { auth: "secret", tag: "Settlements", limit: "standard" } as const;

// Who may approve settlements decides where they may go: a key that requests them cannot add its own address.
export const createDestinationRoute = route({
  ...destinations,
  scope: "settlements:approve",
  confirmed: true,
  summary: "Add an address to the address book; settlements can use it after a delay",
  audit: { ofKeys: true, values: ["chainId", "address", "label"] },
  example: { request: { label: "Treasury" } },
  body: destinationCreation,
  response: createdDestination,
  success: 201,
  failures: [
    "chain_unsupported",
    "settlement_destination_exists",
    "settlement_destinations_exhausted",
  ],
  handle: async (call, { catalog }) => {
    const { body, caller, services } = call;
    const chainId = BigInt(body.chainId);
    const idempotency = call.idempotency();
    const answer = await createChecked({
      isRepeatable: idempotency !== undefined,
      check: async () => {
        const chain = (await catalog.chains()).find((known) => known.chainId === chainId);
        if (chain === undefined || (caller.mode === "test" && !chain.isTestnet)) {
          throw new Failure("chain_unsupported", "chainId is not supported");
        }
      },
      create: (replayOnly) =>
        services.settlements.createDestination({
          chainId,
          label: body.label,
          createdBy: caller.actor,
          address: body.address,
          idempotency,
          replayOnly,
        }),
    });
    call.noteReplay(answer);
    return renderDestination(requireField(answer.destination));
  },
});

export const listDestinationsRoute = route({
  ...destinations,
  scope: "settlements:read",
  summary: "List the addresses of the address book, newest first",
  query: destinationPages,
  response: listShape("SettlementDestinationList", destinationItem),
  success: 200,
  handle: async (call) => {
    const page = getPage(call.query);
    const answer = await call.services.settlements.listDestinations({ page });
    return renderPage(call, answer, answer.destinations.map(renderDestination));
  },
});

export const deleteDestinationRoute = route({
  ...destinations,
  id: { prefix: "dst", noun: "Settlement destination" },
  scope: "settlements:approve",
  confirmed: true,
  summary: "Remove an address from the address book",
  audit: { ofKeys: true },
  example: { response: { id: IDS.dst } },
  response: deleted,
  success: 200,
  handle: async ({ params, services }) => {
    await services.settlements.deleteDestination({ id: params.id });
    return { deleted: true, id: params.id };
  },
});
