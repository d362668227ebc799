// The settings of the project that no other page has.
import { createLazyRoute } from "@tanstack/react-router";
import { type Settings, useSaveSettings, useSettings } from "../../api/project.ts";
import { hasScope, useWorkspace, WorkspaceContext } from "../../api/session.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { ReadOnly } from "../../parts/read-only.tsx";
import { Loaded } from "../../parts/states.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { useForm } from "../../parts/use-form.ts";
import { Group, Lines, mergeLines, splitLines } from "./group.tsx";
import { Notices } from "./notices.tsx";
import { Screening } from "./screening.tsx";
import { SignIn } from "./sign-in.tsx";
import { Wallets } from "./wallets.tsx";

interface GroupProps {
  settings: Settings;
  canWrite: boolean;
}

function General({ settings, canWrite }: GroupProps) {
  const save = useSaveSettings();
  const saved = {
    name: settings.name,
    paymentLifetimeMinutes: String(settings.paymentLifetimeMinutes),
    variant: settings.variant ?? "",
  };
  const form = useForm(saved, ({ name, paymentLifetimeMinutes: minutes, variant }) =>
    save(() => ({
      ...(name !== undefined && { name: name.trim() }),
      ...(minutes !== undefined && { paymentLifetimeMinutes: Number(minutes) }),
      ...(variant !== undefined && { variant: variant || null }),
    })),
  );
  return (
    <Group
      title="Project"
      about="For both modes."
      form={form}
      fields={["name", "paymentLifetimeMinutes", "variant"]}
      canWrite={canWrite}
    >
      <TextField form={form} name="name" label="Name" required maxLength={100} />
      <TextField
        form={form}
        name="paymentLifetimeMinutes"
        label="Minutes to pay"
        inputMode="numeric"
        pattern="[0-9]{1,4}"
        title="A number from 5 to 1440"
        required
      >
        <span className="tip">From 5 to 1440, for payments whose request sets no other time.</span>
      </TextField>
      <ChoiceField
        form={form}
        name="variant"
        label="Shape of API answers"
        of={[
          ["", "Each request chooses"],
          ["primary", "Primary"],
          ["b", "B"],
        ]}
      >
        <span className="tip">Of new payments and of lists.</span>
      </ChoiceField>
    </Group>
  );
}

function UnnamedTransfers({ settings, canWrite }: GroupProps) {
  const save = useSaveSettings();
  const saved = {
    unnamedTransfers: settings.unnamedTransfers as string,
    reference: String(settings.reference),
  };
  const form = useForm(saved, ({ reference, ...changes }) =>
    save(() => ({
      ...changes,
      ...(reference !== undefined && { reference: reference === "true" }),
    })),
  );
  return (
    <Group
      title="Transfers without a signature"
      about="Money whose wallet has not said which order it is for. For payments that are created from now on."
      form={form}
      fields={["unnamedTransfers", "reference"]}
      canWrite={canWrite}
    >
      <ChoiceField
        form={form}
        name="unnamedTransfers"
        label="A transfer that fits one open payment alone"
        of={[
          ["match", "Pays it"],
          ["hold", "Waits for a signature or for you"],
        ]}
      />
      <ChoiceField
        form={form}
        name="reference"
        label="Transactions that the checkout page gives to wallets"
        of={[
          ["true", "Name their payment in their data"],
          ["false", "Name no payment"],
        ]}
      />
    </Group>
  );
}

function DepositAddresses({ settings, canWrite }: GroupProps) {
  const save = useSaveSettings();
  const form = useForm({ depositAddresses: String(settings.depositAddresses) }, (changes) =>
    save(() => ({ depositAddresses: changes.depositAddresses === "true" })),
  );
  return (
    <Group
      title="Deposit addresses"
      about="With an address of its own, a payment cannot be mistaken for another, also from an exchange. The address can only pay your wallet. For payments that are created from now on."
      form={form}
      fields={["depositAddresses"]}
      canWrite={canWrite}
    >
      <ChoiceField
        form={form}
        name="depositAddresses"
        label="Customers pay"
        of={[
          ["false", "Your wallet"],
          ["true", "An address of each payment"],
        ]}
      >
        <span className="tip">
          Do not use it where your wallet is an address of an exchange: it may not credit the money.
        </span>
      </ChoiceField>
    </Group>
  );
}

/** A setting that is a list of texts. */
function List({
  settings,
  canWrite,
  field,
  title,
  about,
  label,
  tip,
}: GroupProps & {
  field: "allowedOrigins" | "payoutWallets";
  title: string;
  about: string;
  label: string;
  tip: string;
}) {
  const save = useSaveSettings();
  const before = settings[field];
  const form = useForm<Record<typeof field, string>>(
    { [field]: before.join("\n") } as Record<typeof field, string>,
    ({ [field]: text = "" }) =>
      save((now) => ({ [field]: mergeLines(now[field], { before, after: splitLines(text) }) })),
  );
  return (
    <Group title={title} about={about} form={form} fields={[field]} canWrite={canWrite}>
      <Lines form={form} name={field} label={label} tip={tip} />
    </Group>
  );
}

function Content({ settings }: { settings: Settings }) {
  const workspace = useWorkspace();
  const canWrite = hasScope(workspace, "projects:write");
  const isOwner = workspace.membership.liveScopes === "all";
  const own = { settings, canWrite: canWrite && isOwner };
  return (
    <>
      {!canWrite && <ReadOnly what="the settings" />}
      {canWrite && !isOwner && <ReadOnly what="wallets, transfers, origins, notices and sign-in" />}
      <General settings={settings} canWrite={canWrite} />
      <Wallets {...own} />
      <List
        {...own}
        field="payoutWallets"
        title="Wallets that refund"
        about="Wallets of yours, besides the recipients of payments, whose transactions count for refunds."
        label="Addresses"
        tip="One in each line, at most 20."
      />
      <UnnamedTransfers {...own} />
      <DepositAddresses {...own} />
      <Screening {...own} />
      <List
        {...own}
        field="allowedOrigins"
        title="Allowed origins"
        about="Pages that may call with the publishable key. Without any, all pages may."
        label="Origins"
        tip="One in each line, e.g. https://shop.example or https://*.shop.example, at most 50."
      />
      <Notices {...own} />
      <SignIn {...own} />
    </>
  );
}

function SettingsOfProject() {
  const query = useSettings();
  return (
    <div className="column">
      <title>Settings</title>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <Loaded query={query} what="the settings">
        {({ body }) => <Content settings={body} />}
      </Loaded>
    </div>
  );
}

/** The project has these once, and the live role opens them. */
function SettingsPage() {
  const workspace = useWorkspace();
  return (
    <WorkspaceContext value={{ ...workspace, mode: "live" }}>
      <SettingsOfProject />
    </WorkspaceContext>
  );
}

export const Route = createLazyRoute("/settings")({ component: SettingsPage });
