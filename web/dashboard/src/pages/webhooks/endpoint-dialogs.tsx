import { ENDPOINTS_PATH, nameEndpoint } from "../../api/endpoints.ts";
import { deliveryFilters } from "../../api/filters.ts";
import { useWrite } from "../../api/queries.ts";
import type {
  CreatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointRecover,
} from "../../api/records.ts";
import { AllOrSome, Options } from "../../parts/choice.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { focusField } from "../../parts/focus.ts";
import { OnceDialog } from "../../parts/once-dialog.tsx";
import { formatWhen, getZoneName, readTimeField, toTimeField } from "../../times.ts";

/** All but pings, which no endpoint chooses. */
export const EVENT_TYPES = deliveryFilters.type.values.filter((type) => type !== "ping");

const SCHEMES: readonly [WebhookEndpoint["signatureScheme"], string][] = [
  ["v1", "v1, of this service"],
  ["standard", "standard, of standardwebhooks.com"],
  ["sha256", "sha256, for older receivers"],
];

function readEndpoint(form: FormData, { isDefault = false } = {}) {
  const events = form.get("all") === null ? form.getAll("events").map(String) : [];
  return {
    ...(!isDefault && { url: String(form.get("url")).trim() }),
    events,
    signatureScheme: String(form.get("signatureScheme")),
  };
}

function Fields({ endpoint }: { endpoint?: WebhookEndpoint }) {
  return (
    <>
      {endpoint?.isDefault ? (
        <p>Its address is the callback URL of the project.</p>
      ) : (
        <label>
          Address
          <input
            className="field"
            name="url"
            type="url"
            required
            placeholder="https://shop.example/webhooks"
            defaultValue={endpoint?.url ?? ""}
            autoComplete="off"
          />
        </label>
      )}
      <AllOrSome
        name="events"
        values={EVENT_TYPES}
        begin={endpoint?.events ?? []}
        allLabel="All events, also those that come later"
        someLabel="Events that it receives"
        className="scopes events"
      />
      <label>
        Signature
        <select
          className="field"
          name="signatureScheme"
          defaultValue={endpoint?.signatureScheme ?? "v1"}
        >
          <Options of={SCHEMES} />
        </select>
      </label>
    </>
  );
}

export interface Secret {
  name: string;
  secret: string;
  /** Until then the previous secret signs as well. */
  until: string | null;
}

export function AddDialog({ close, done }: { close: () => void; done: (secret: Secret) => void }) {
  const { mutateAsync } = useWrite<CreatedWebhookEndpoint>();
  return (
    <ConfirmDialog
      title="Add an endpoint"
      action="Add endpoint"
      close={close}
      run={async (idempotencyKey, form) => {
        const { body } = await mutateAsync({
          path: ENDPOINTS_PATH,
          body: readEndpoint(form),
          idempotencyKey,
        });
        done({ name: nameEndpoint(body), secret: body.secret, until: null });
      }}
    >
      <Fields />
    </ConfirmDialog>
  );
}

export function EditDialog({
  endpoint,
  close,
  done,
}: {
  endpoint: WebhookEndpoint;
  close: () => void;
  done: (secret: Secret) => void;
}) {
  const { mutateAsync } = useWrite<WebhookEndpoint & { secret?: string }>();
  return (
    <ConfirmDialog
      title={`Change ${nameEndpoint(endpoint)}`}
      action="Save endpoint"
      close={close}
      run={async (idempotencyKey, form) => {
        const { body } = await mutateAsync({
          method: "PUT",
          path: `${ENDPOINTS_PATH}/${endpoint.id}`,
          body: readEndpoint(form, endpoint),
          idempotencyKey,
        });
        if (body.secret) done({ name: nameEndpoint(body), secret: body.secret, until: null });
      }}
    >
      <Fields endpoint={endpoint} />
    </ConfirmDialog>
  );
}

const OVERLAPS: readonly [seconds: number, word: string][] = [
  [86_400, "One day"],
  [604_800, "One week"],
  [3_600, "One hour"],
  [0, "None: the old secret ends now"],
];

export function RotateDialog({
  endpoint,
  close,
  done,
}: {
  endpoint: WebhookEndpoint;
  close: () => void;
  done: (secret: Secret) => void;
}) {
  const { mutateAsync } = useWrite<CreatedWebhookEndpoint>();
  return (
    <ConfirmDialog
      title={`New secret of ${nameEndpoint(endpoint)}`}
      action="Make secret"
      close={close}
      run={async (idempotencyKey, form) => {
        const { body } = await mutateAsync({
          path: `${ENDPOINTS_PATH}/${endpoint.id}/rotate-secret`,
          body: { overlapSeconds: Number(form.get("overlapSeconds")) },
          idempotencyKey,
        });
        done({ name: nameEndpoint(body), secret: body.secret, until: body.nextSecretActiveAt });
      }}
    >
      <label>
        Both secrets sign for
        <select className="field" name="overlapSeconds">
          <Options of={OVERLAPS} />
        </select>
        <span className="tip">
          Your receiver takes either signature meanwhile, so that nothing is lost.
        </span>
      </label>
    </ConfirmDialog>
  );
}

export function SecretDialog({ secret, close }: { secret: Secret; close: () => void }) {
  const { name, until } = secret;
  return (
    <OnceDialog
      title={`Signing secret of ${name}`}
      secret={secret.secret}
      copyLabel="Copy secret"
      doneLabel="I have kept it"
      close={close}
    >
      <p>
        Your receiver checks with it that a webhook comes from this service. It is not shown again.
        {until !== null && ` The one before signs beside it until ${formatWhen(until)}.`}
      </p>
      <p className="secret mono">{secret.secret}</p>
    </OnceDialog>
  );
}

export function DeleteDialog({
  endpoint,
  close,
}: {
  endpoint: WebhookEndpoint;
  close: () => void;
}) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title={`Delete ${nameEndpoint(endpoint)}?`}
      action="Delete endpoint"
      isDanger
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({
          method: "DELETE",
          path: `${ENDPOINTS_PATH}/${endpoint.id}`,
          idempotencyKey,
        })
      }
    >
      <p>Nothing is sent to it any more. What it missed cannot be resent.</p>
    </ConfirmDialog>
  );
}

const DAY_MS = 24 * 3_600_000;

export interface Missed {
  between: { since: string; until?: string };
  count: number;
}

/** The number first: what is sent cannot be taken back. */
export function CountDialog({
  endpoint,
  close,
  done,
}: {
  endpoint: WebhookEndpoint;
  close: () => void;
  done: (missed: Missed) => void;
}) {
  const { mutateAsync } = useWrite<WebhookEndpointRecover>();
  return (
    <ConfirmDialog
      title={`Resend what ${nameEndpoint(endpoint)} missed`}
      action="Count deliveries"
      close={close}
      run={async (idempotencyKey, form) => {
        const until = String(form.get("until"));
        const between = {
          since: readTimeField(String(form.get("since"))),
          ...(until && { until: readTimeField(until) }),
        };
        const { body } = await mutateAsync({
          path: `${ENDPOINTS_PATH}/${endpoint.id}/recover`,
          body: { ...between, dryRun: true },
          idempotencyKey,
        });
        done({ between, count: body.count });
      }}
    >
      <div className="pair">
        <label>
          Failed from
          <input
            className="field"
            name="since"
            type="datetime-local"
            required
            ref={focusField}
            defaultValue={toTimeField(new Date(Date.now() - DAY_MS))}
          />
          <span className="tip">In {getZoneName()}</span>
        </label>
        <label>
          To
          <input className="field" name="until" type="datetime-local" />
          <span className="tip">Empty: until now</span>
        </label>
      </div>
    </ConfirmDialog>
  );
}

export function ResendDialog({
  endpoint,
  missed: { between, count },
  close,
}: {
  endpoint: WebhookEndpoint;
  missed: Missed;
  close: () => void;
}) {
  const { mutateAsync } = useWrite<WebhookEndpointRecover>();
  if (count === 0) {
    return (
      <ConfirmDialog title="Nothing was missed" action="Good" close={close} run={async () => {}}>
        <p>Each delivery of this time was taken.</p>
      </ConfirmDialog>
    );
  }
  const noun = count === 1 ? "delivery" : "deliveries";
  return (
    <ConfirmDialog
      title={`${count.toLocaleString("en")} ${noun} failed`}
      action={`Resend ${count.toLocaleString("en")}`}
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({
          path: `${ENDPOINTS_PATH}/${endpoint.id}/recover`,
          body: between,
          idempotencyKey,
        })
      }
    >
      <p>Each is sent once more, in order, with the same event id and body.</p>
    </ConfirmDialog>
  );
}
