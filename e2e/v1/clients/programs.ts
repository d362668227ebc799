// What a merchant writes around a generated client: it creates a payment, reads it, and prints what it read as JSON.

export const PYTHON = `
import importlib, json, os, pkgutil
import client
from client.api.payments import payments_create, payments_get
from client.models import PaymentPrimary, PaymentsCreateBody, PaymentsGetExpandItem

for module in pkgutil.walk_packages(client.__path__, "client."):
    importlib.import_module(module.name)

pay = client.AuthenticatedClient(
    base_url=os.environ["BASE_URL"],
    token=os.environ["SECRET_KEY"],
    prefix="",
    auth_header_name="X-Secret-Key",
)
made = payments_create.sync(
    client=pay,
    x_service_variant="primary",
    body=PaymentsCreateBody(
        amount="1.5",
        chain_id=int(os.environ["CHAIN_ID"]),
        currency="native",
        recipient_address=os.environ["RECIPIENT"],
        order_id="python",
    ),
)
expand = [PaymentsGetExpandItem.ORDERID, PaymentsGetExpandItem.RECIPIENTADDRESS]
read = payments_get.sync(made.id, client=pay, expand=expand)
assert isinstance(read, PaymentPrimary), read
print(json.dumps(read.to_dict()))
`;

export const GO = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
)

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Secret-Key", os.Getenv("SECRET_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(withKey))
	check(err)
	chainId, err := strconv.Atoi(os.Getenv("CHAIN_ID"))
	check(err)
	variant, orderId, recipient := "primary", "go", os.Getenv("RECIPIENT")
	created, err := client.PaymentsCreateWithResponse(
		ctx,
		&PaymentsCreateParams{XServiceVariant: &variant},
		PaymentsCreateJSONRequestBody{
			Amount:           "1.5",
			ChainId:          chainId,
			Currency:         "native",
			RecipientAddress: &recipient,
			OrderId:          &orderId,
		},
	)
	check(err)
	made, err := created.JSON201.AsCreatedPaymentPrimary()
	check(err)
	expand := ExpandParam{"orderId", "recipientAddress"}
	answer, err := client.PaymentsGetWithResponse(ctx, made.Id, &PaymentsGetParams{Expand: &expand})
	check(err)
	read, err := answer.JSON200.AsPaymentPrimary()
	check(err)
	text, err := json.Marshal(read)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`;

export const TYPESCRIPT = `
import { paymentsCreate, paymentsGet } from "./client";
import { client } from "./client/client.gen";

const { BASE_URL = "", SECRET_KEY = "", CHAIN_ID, RECIPIENT = "" } = process.env;
client.setConfig({
  baseUrl: BASE_URL,
  auth: ({ name }) => (name === "X-Secret-Key" ? SECRET_KEY : undefined),
});
const { data: made } = await paymentsCreate({
  headers: { "X-Service-Variant": "primary" },
  body: {
    amount: "1.5",
    chainId: Number(CHAIN_ID),
    currency: "native",
    recipientAddress: RECIPIENT,
    orderId: "typescript",
  },
  throwOnError: true,
});
const { data: read } = await paymentsGet({
  path: { id: made.id },
  query: { expand: ["orderId", "recipientAddress"] },
  throwOnError: true,
});
console.log(JSON.stringify(read));
`;
