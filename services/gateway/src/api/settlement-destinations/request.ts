import { z } from "zod";
import * as field from "../fields.ts";

export const destinationCreation = z.object({
  chainId: field.chainId(),
  address: field.address(),
  label: field.name(100).optional(),
});

export const destinationPages = z.object(field.pageFields("dst"));
