import { OnceDialog } from "../../parts/once-dialog.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { useChangeAccount } from "./queries.ts";

function Codes({ codes, close }: { codes: string[]; close: () => void }) {
  return (
    <OnceDialog
      title="Your recovery codes"
      secret={codes.join("\n")}
      copyLabel="Copy all"
      doneLabel="I have kept them"
      close={close}
    >
      <p>
        Print them, or keep them in a password manager. They are not shown again. Each code works
        once, and older codes no longer work.
      </p>
      <ol className="codes mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
    </OnceDialog>
  );
}

function describeLeft(left: number): string {
  if (left === 0) return "You have none.";
  return left === 1 ? "One code is left." : `${left} codes are left.`;
}

export function RecoveryCodes({ left }: { left: number }) {
  const { mutate, isPending, error, data, reset } = useChangeAccount<{ codes: string[] }>();
  return (
    <section className="section">
      <header>
        <h2>Recovery codes</h2>
        <button
          type="button"
          className="button end"
          disabled={isPending}
          onClick={() => mutate({ method: "POST", path: "recovery-codes" })}
        >
          {left === 0 ? "Make codes" : "Make new codes"}
        </button>
      </header>
      <p className="quiet gap-2">
        {describeLeft(left)} A code lets you add a passkey on a new device when the old one is lost.
      </p>
      {error && <ErrorNote error={error} isApart />}
      {data && <Codes codes={data.codes} close={reset} />}
    </section>
  );
}
