import { type Examples, page } from "../example-answers.ts";
import { CREATED_AT, KEY_ID, TREASURY } from "../example-values.ts";

const destination = {
  id: "dst_9L4mYb1fJtQv8sN2xKcW7hRz",
  chainId: 1,
  address: TREASURY,
  label: "Treasury",
  createdBy: KEY_ID,
  createdAt: CREATED_AT,
  usableAt: "2026-02-01T12:00:00.000Z",
};

export const EXAMPLES: Examples = {
  "POST /v1/settlement-destinations": {
    request: { chainId: 1, address: TREASURY, label: "Treasury" },
    response: destination,
  },
  "GET /v1/settlement-destinations": { response: page(destination) },
  "DELETE /v1/settlement-destinations/{id}": { response: { deleted: true, id: destination.id } },
};
