import { type Examples, page } from "../example-answers.ts";
import { ADDRESS, CREATED_AT } from "../example-values.ts";

const CUST_ID = "cust_7hRz9L4mYb1fJtQv8sN2xKcW";
const customer = { id: CUST_ID, walletAddress: ADDRESS, displayName: "Zoë", createdAt: CREATED_AT };
const metadata = { plan: "gold" };

export const EXAMPLES: Examples = {
  "POST /v1/customers": {
    request: { walletAddress: ADDRESS, email: "zoe@shop.example", displayName: "Zoë", metadata },
    response: { ...customer, email: "zoe@shop.example", metadata },
  },
  "GET /v1/customers/{id}": { response: customer },
  "GET /v1/customers": { response: page(customer) },
  "PUT /v1/customers/{id}": {
    request: { displayName: "Zoë", metadata },
    response: { id: CUST_ID, displayName: "Zoë", metadata },
  },
  "DELETE /v1/customers/{id}": { response: { deleted: true, id: CUST_ID } },
};
