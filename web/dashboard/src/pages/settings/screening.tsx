// What says from which wallets the shop takes no money unseen.
import { type Settings, useSaveSettings } from "../../api/project.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { useForm } from "../../parts/use-form.ts";
import { Group, Lines, splitLines } from "./group.tsx";

function readPolicy({ screening }: Settings) {
  return {
    oracle: screening?.oracle ?? "",
    list: screening?.list?.join("\n") ?? "",
    onFail: screening?.onFail ?? "review",
  };
}

/** Without an oracle and wallets nothing is screened. */
function toPolicy({ oracle, list, onFail }: Record<"oracle" | "list" | "onFail", string>) {
  const wallets = splitLines(list);
  if (oracle.trim() === "" && wallets.length === 0) return null;
  return {
    ...(oracle.trim() !== "" && { oracle: oracle.trim() }),
    ...(wallets.length > 0 && { list: wallets }),
    onFail,
  };
}

export function Screening({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const save = useSaveSettings();
  const form = useForm<Record<"oracle" | "list" | "onFail", string>>(
    readPolicy(settings),
    (changes) => save((now) => ({ screening: toPolicy({ ...readPolicy(now), ...changes }) })),
  );
  return (
    <Group
      title="Screening"
      about="Money of a wallet that is named here waits until you accept it or return it. Fill in one of the first two; empty fields end it."
      form={form}
      fields={["screening", "screening.oracle", "screening.list", "screening.onFail"]}
      canWrite={canWrite}
    >
      <TextField
        form={form}
        name="oracle"
        field="screening.oracle"
        label="Contract of an oracle"
        spellCheck={false}
      >
        <span className="tip">It answers isSanctioned(address) on the network of the payment.</span>
      </TextField>
      <Lines form={form} name="list" label="Wallets" tip="One in each line, at most 1000." />
      <ChoiceField
        form={form}
        name="onFail"
        label="Where the oracle does not answer"
        of={[
          ["review", "The payment waits for you"],
          ["allow", "The payment counts"],
        ]}
      />
    </Group>
  );
}
