// A payment that a person makes: amount and token, and what the payer reads.
import { useRef } from "react";
import { useApi, useWrite } from "../../api/queries.ts";
import type { Payment, Project } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { Options } from "../../parts/choice.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { focusField } from "../../parts/focus.ts";
import { useWays } from "../../parts/use-ways.ts";

const PROJECT = "/v1/projects/me?expand=wallets,paymentLifetimeMinutes,depositAddresses";

const LIFETIMES = [
  [60, "1 hour"],
  [24 * 60, "1 day"],
  [3 * 24 * 60, "3 days"],
  [7 * 24 * 60, "7 days"],
] as const;

const OWN_ADDRESS = "An address of its own";
const WALLET = "The receiving wallet";

function formatMinutes(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

function readText(form: FormData, name: string): string | undefined {
  const text = String(form.get(name) ?? "").trim();
  return text === "" ? undefined : text;
}

/** Ends with the id of the payment where one was made. */
export function NewDialog({ close }: { close: (id: string | undefined) => void }) {
  const made = useRef<string>(undefined);
  const { mutateAsync } = useWrite<Payment>();
  const { data } = useApi<Project>(PROJECT);
  const project = data?.body;
  const { mode } = useWorkspace();
  const own = new Set(project?.wallets?.map(({ chainId }) => chainId));
  // In test mode on test networks, and where the project has a wallet once it has one.
  const ways = useWays(
    ({ chainId, isTestnet }) =>
      (mode === "live" || isTestnet) && (own.size === 0 || own.has(chainId)),
  );
  const needsWallet = project !== undefined && (project.wallets ?? []).length === 0;
  async function create(idempotencyKey: string, form: FormData) {
    const [chainId, currency] = String(form.get("way")).split(" ");
    const minutes = Number(form.get("minutes"));
    const choice = readText(form, "depositAddresses");
    const { body } = await mutateAsync({
      path: "/v1/payments",
      idempotencyKey,
      body: {
        amount: readText(form, "amount"),
        chainId: Number(chainId),
        currency,
        recipientAddress: readText(form, "recipientAddress"),
        orderId: readText(form, "orderId"),
        description: readText(form, "description"),
        ...(minutes > 0 && { expiresInMinutes: minutes }),
        ...(choice !== undefined && { depositAddresses: choice === "true" }),
      },
    });
    made.current = body.id;
  }

  return (
    <ConfirmDialog
      title="New payment link"
      action="Create link"
      isReady={project !== undefined && ways.length > 0}
      close={() => close(made.current)}
      run={create}
    >
      <div className="pair">
        <label>
          Amount
          <input
            className="field"
            name="amount"
            required
            ref={focusField}
            inputMode="decimal"
            pattern="\s*\d+(\.\d+)?\s*"
            title="A number with a point, e.g. 24.5"
            autoComplete="off"
          />
        </label>
        <label>
          Token and network
          <select className="field" name="way">
            <Options of={ways} />
          </select>
        </label>
      </div>
      {needsWallet && (
        <AddressField
          label="Your wallet, which receives the money"
          name="recipientAddress"
          tip="The project has no wallet of its own yet"
        />
      )}
      <label>
        Order
        <input className="field" name="orderId" maxLength={128} autoComplete="off" />
        <span className="tip">Your own number, to find the payment by</span>
      </label>
      <label>
        Text for the payer
        <input className="field" name="description" maxLength={500} autoComplete="off" />
      </label>
      <div className="pair">
        <label>
          Can be paid for
          <select className="field" name="minutes">
            <option value="0">
              {project?.paymentLifetimeMinutes
                ? `${formatMinutes(project.paymentLifetimeMinutes)}, as every payment`
                : "As every payment"}
            </option>
            <Options of={LIFETIMES} />
          </select>
        </label>
        <label>
          Payer sends to
          <select className="field" name="depositAddresses">
            <option value="">
              {project?.depositAddresses ? OWN_ADDRESS : WALLET}, as every payment
            </option>
            <option value={String(!project?.depositAddresses)}>
              {project?.depositAddresses ? WALLET : OWN_ADDRESS}
            </option>
          </select>
        </label>
      </div>
    </ConfirmDialog>
  );
}
