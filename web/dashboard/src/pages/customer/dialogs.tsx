import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import type { Customer } from "../../api/records.ts";
import { callApi } from "../../api/request.ts";
import { useWorkspace } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";

export function EditDialog({ customer, close }: { customer: Customer; close: () => void }) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title="Edit customer"
      action="Save"
      close={close}
      run={(idempotencyKey, form) => {
        const displayName = String(form.get("displayName")).trim() || null;
        const path = `/v1/customers/${customer.id}`;
        return mutateAsync({ method: "PUT", path, body: { displayName }, idempotencyKey });
      }}
    >
      <label>
        Name
        <input
          className="field"
          name="displayName"
          maxLength={100}
          defaultValue={customer.displayName ?? ""}
          autoComplete="off"
        />
        <span className="tip">Empty: without a name</span>
      </label>
    </ConfirmDialog>
  );
}

/** Nothing brings the data back, so the person types whose they are. */
export function EraseDialog({
  customer,
  name,
  close,
}: {
  customer: Customer;
  name: string;
  close: () => void;
}) {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  return (
    <ConfirmDialog
      title={`Erase ${name}?`}
      action="Erase customer"
      isDanger
      isReady={typed.trim() === name}
      close={close}
      run={async (idempotencyKey) => {
        const path = `/v1/customers/${customer.id}`;
        await callApi(workspace, path, { method: "DELETE", idempotencyKey });
        // Before anything is read again: this page has nothing to show any more.
        await navigate({ to: "/customers" });
        void client.invalidateQueries();
      }}
    >
      <p>
        Name, e-mail address, wallet and metadata are deleted for good, also from stored webhooks.
        Payments and refunds stay.
      </p>
      <label>
        Type {name} to confirm
        <input
          className="field"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          autoComplete="off"
        />
      </label>
    </ConfirmDialog>
  );
}
