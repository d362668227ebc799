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
    url: screening?.url ?? "",
    onFail: screening?.onFail ?? "review",
  };
}

type Policy = ReturnType<typeof readPolicy>;

/** Nothing is screened where all are empty. */
function toPolicy({ oracle, list, url, onFail }: Policy) {
  const wallets = splitLines(list);
  if (oracle.trim() === "" && url.trim() === "" && wallets.length === 0) return null;
  return {
    ...(oracle.trim() !== "" && { oracle: oracle.trim() }),
    ...(wallets.length > 0 && { list: wallets }),
    ...(url.trim() !== "" && { url: url.trim() }),
    onFail,
  };
}

export function Screening({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const save = useSaveSettings();
  const form = useForm<Policy>(readPolicy(settings), (changes) =>
    save((now) => ({ screening: toPolicy({ ...readPolicy(now), ...changes }) })),
  );
  return (
    <Group
      title="Screening"
      about="Money of a wallet that is named here waits until you accept it or return it. Fill in one of the first three; empty fields end it."
      form={form}
      fields={[
        "screening",
        "screening.oracle",
        "screening.list",
        "screening.url",
        "screening.onFail",
      ]}
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
      <TextField
        form={form}
        name="url"
        field="screening.url"
        label="URL of your server"
        inputMode="url"
        spellCheck={false}
      >
        <span className="tip">It is asked about each wallet, and answers flagged.</span>
      </TextField>
      <ChoiceField
        form={form}
        name="onFail"
        label="Where nothing answers in time"
        of={[
          ["review", "The payment waits for you"],
          ["allow", "The payment counts"],
        ]}
      />
    </Group>
  );
}
