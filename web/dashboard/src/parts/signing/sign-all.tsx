import { useState } from "react";
import { Icon } from "../icon.tsx";
import type { ToSign } from "./sign-dialog.tsx";
import { SignDialog } from "./signing.tsx";

/** All that waits for a wallet of the shop, one after the other. */
export function SignAll({ records, verb }: { records: readonly ToSign[]; verb: string }) {
  const [begun, setBegun] = useState<readonly ToSign[]>();
  return (
    <>
      {records.length > 0 && (
        <button type="button" className="button primary" onClick={() => setBegun(records)}>
          <Icon name="pen" />
          Sign {records.length}
        </button>
      )}
      {begun && <SignDialog verb={verb} records={begun} close={() => setBegun(undefined)} />}
    </>
  );
}
