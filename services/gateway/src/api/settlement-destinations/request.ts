import { z } from "zod";
import { TREASURY } from "../example-values.ts";
import * as field from "../fields.ts";

export const destinationCreation = z.object({
  chainId: field.chainId(),
  address: field
    .address()
    .meta({ description: "Address that settlements may go to.", example: TREASURY }),
  label: field.name(100).optional().describe("Label of the address."),
});

export const destinationPages = z.object(field.pageFields("dst"));
