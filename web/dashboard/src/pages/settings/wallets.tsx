// The wallet on each network to which payments go that name none. A change waits before it counts.
import { useRef } from "react";
import { type Settings, useSaveSettings } from "../../api/project.ts";
import { useChains } from "../../api/queries.ts";
import { AddressField } from "../../parts/address-field.tsx";
import { FieldFault } from "../../parts/field-fault.tsx";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { useForm } from "../../parts/use-form.ts";
import { formatWhen } from "../../times.ts";
import { Group } from "./group.tsx";

type Addresses = Record<string, string>;

function toAddresses(wallets: Settings["wallets"]): Addresses {
  return Object.fromEntries(wallets.map(({ chainId, address }) => [String(chainId), address]));
}

/** What was asked for last, whether it counts already or waits. */
function readWanted({ wallets, pendingWallets }: Settings): Addresses {
  return toAddresses(pendingWallets?.wallets ?? wallets);
}

function toWallets(addresses: Addresses): Settings["wallets"] {
  return Object.entries(addresses)
    .map(([chainId, address]) => ({ chainId: Number(chainId), address: address.trim() }))
    .filter(({ address }) => address !== "");
}

/** The wallets that are in force stay, and the change that waits is forgotten. */
function TakeBack({ settings: { pendingWallets } }: { settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({}, () => save(({ wallets }) => ({ wallets })));
  if (pendingWallets === null) return null;
  return (
    <>
      <p className="note heed" role="status">
        <Icon name="clock" />
        <span>
          The wallets below count from {formatWhen(pendingWallets.usableAt)}. Until then payments go
          to the ones before.
        </span>
        <button
          type="button"
          className="button push"
          disabled={form.isSaving}
          onClick={() => void form.submit()}
        >
          Take back
        </button>
      </p>
      {form.error && <ErrorNote error={form.error} />}
    </>
  );
}

export function Wallets({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const save = useSaveSettings();
  const chains = useChains();
  const sent = useRef<Settings["wallets"]>([]);
  const present = toAddresses(settings.wallets);
  const none = Object.fromEntries(chains.map(({ chainId }) => [String(chainId), ""]));
  const form = useForm<Addresses>({ ...none, ...readWanted(settings) }, (changes) =>
    save((now) => {
      sent.current = toWallets({ ...readWanted(now), ...(changes as Addresses) });
      return { wallets: sent.current };
    }),
  );
  const { values, saved, error, change } = form;
  function nameChain(id: string | number | undefined): string {
    return chains.find(({ chainId }) => chainId === Number(id))?.name ?? `Chain ${id}`;
  }

  return (
    <Group
      title="Default wallets"
      about="Where payments go whose request names no recipient. A change asks for your passkey and waits, so that a theft is noticed first."
      form={form}
      fields={["wallets"]}
      canWrite={canWrite}
    >
      {canWrite && <TakeBack settings={settings} />}
      {Object.keys(saved).map((chainId) => (
        <AddressField
          key={chainId}
          label={nameChain(chainId)}
          name={`wallet-${chainId}`}
          isOptional
          value={values[chainId] ?? ""}
          change={(address) => change(chainId, address)}
          {...(settings.pendingWallets !== null &&
            saved[chainId] !== (present[chainId] ?? "") && {
              tip: `Still ${present[chainId] === undefined ? "none" : shortenId(present[chainId])}`,
            })}
        />
      ))}
      <FieldFault
        error={error}
        field="wallets"
        label="The list"
        nameItem={(at) => `The wallet on ${nameChain(sent.current[at]?.chainId)}`}
      />
    </Group>
  );
}
