// A refund or a settlement, signed by a wallet of this browser.
import type { Wallet } from "@pay/sdk/browser";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { formatMoved, isMore } from "../../amounts.ts";
import { useChain, useTokens, useWrite } from "../../api/queries.ts";
import { ApiError } from "../../api/send.ts";
import { Fact } from "../fact.tsx";
import { Icon } from "../icon.tsx";
import { Id, shortenId } from "../id.tsx";
import { Network } from "../network.tsx";
import { PathLine } from "../path-line.tsx";
import { ErrorNote } from "../states.tsx";
import {
  COIN_DECIMALS,
  readAmount,
  readTransaction,
  type Transfer,
  type Unsigned,
} from "./read-transaction.ts";
import {
  dropKeptHash,
  readKeptHash,
  type Sent,
  signTransaction,
  useSetting,
  useWallets,
} from "./wallet.ts";
import { WalletChoice, WalletNote } from "./wallet-note.tsx";

export interface ToSign {
  id: string;
  amount: string;
  currency: string;
  destinationAddress: string;
  transaction: Unsigned;
  /** Where its hash is submitted. */
  path: string;
  /** What the money goes back for, or where to. */
  about: ReactNode;
  toLabel: string;
}

/** A record with its transaction, read from the bytes of it. */
function useReading({ transaction }: ToSign) {
  const chain = useChain(transaction.chainId);
  const transfer = readTransaction(transaction);
  const tokens = useTokens(true);
  const token = tokens.find(
    ({ chainId, address }) =>
      chainId === transaction.chainId && address.toLowerCase() === transfer?.currency,
  );
  const isNative = transfer?.currency === "native";
  const decimals = isNative ? COIN_DECIMALS : token?.decimals;
  if (chain === undefined || transfer === undefined || decimals === undefined) return undefined;
  const symbol = isNative ? chain.symbol : (token?.symbol ?? "");
  return { chain, transfer, symbol, amount: readAmount(transfer, decimals) };
}

/** The bytes must do what the record says; whoever changed one of the two cannot get it signed here. */
function isAsRecorded(record: ToSign, transfer: Transfer, amount: string): boolean {
  return (
    !isMore(amount, record.amount) &&
    !isMore(record.amount, amount) &&
    transfer.currency === record.currency.toLowerCase() &&
    transfer.to === record.destinationAddress.toLowerCase()
  );
}

const FAILURES: Record<Extract<Sent, { failure: unknown }>["failure"], string> = {
  declined: "The wallet was asked and declined. Nothing was sent.",
  "other-account": "The wallet does not have the account that pays this. Choose it in the wallet.",
  "other-network": "The wallet stayed on another network. Nothing was sent.",
  unknown:
    "The wallet gave no transaction hash. Look in the wallet before you sign again: it may have sent.",
};

/** The service judged the hash itself, and will judge it no other way. */
const REFUSED = new Set([400, 404, 409, 422]);

/** A hash is kept until the service has it or refuses it. */
function useSubmission({ id, path }: ToSign, done: () => void) {
  const { mutateAsync, isPending, error } = useWrite();
  async function submit(txHash: string) {
    try {
      await mutateAsync({ path, body: { txHash }, idempotencyKey: txHash });
    } catch (caught) {
      if (caught instanceof ApiError && REFUSED.has(caught.status)) dropKeptHash(id);
      return;
    }
    dropKeptHash(id);
    done();
  }

  return { submit, isPending, error };
}

function HashForm({ submit, isPending }: { submit: (hash: string) => void; isPending: boolean }) {
  return (
    <form
      className="form hash-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit(String(new FormData(event.currentTarget).get("txHash")).trim().toLowerCase());
      }}
    >
      <label>
        Transaction hash
        <input
          ref={(input) => input?.focus()}
          className="field mono"
          name="txHash"
          required
          pattern="\s*0x[0-9a-fA-F]{64}\s*"
          title="0x and 64 hexadecimal digits"
          autoComplete="off"
        />
      </label>
      <button type="submit" className="button primary" disabled={isPending}>
        Submit hash
      </button>
    </form>
  );
}

type Reading = NonNullable<ReturnType<typeof useReading>>;

function Read({ record, reading }: { record: ToSign; reading: Reading }) {
  const { transfer, symbol } = reading;
  const { transaction, toLabel } = record;
  const isNative = transfer.currency === "native";
  return (
    <>
      <PathLine from={transaction.from} to={transfer.to} toLabel={toLabel} />
      <dl className="facts">
        <Fact name="Network">
          <Network chainId={transaction.chainId} />
        </Fact>
      </dl>
      <details className="proof">
        <summary>
          <Icon name="next" isSmall />
          What your wallet will show
        </summary>
        <dl>
          <dt>{isNative ? "Recipient" : "Contract"}</dt>
          <dd>
            {!isNative && `${symbol} `}
            <Id text={transaction.to} label={isNative ? "recipient" : "contract"} />
          </dd>
          <dt>{isNative ? "Value" : "Call"}</dt>
          <dd className="mono">
            {isNative
              ? `${reading.amount} ${symbol}`
              : `transfer(${shortenId(transfer.to)}, ${transfer.baseAmount})`}
          </dd>
        </dl>
      </details>
    </>
  );
}

function SignBody({
  record,
  reading,
  close,
  done,
}: {
  record: ToSign;
  reading: Reading;
  close: () => void;
  done: () => void;
}) {
  const wallets = useWallets();
  const [chosen, choose] = useState<Wallet>();
  const [failure, setFailure] = useState<string>();
  const [isSigning, setSigning] = useState(false);
  const [isByHand, setByHand] = useState(false);
  const submission = useSubmission(record, done);
  const wallet = chosen ?? wallets[0];
  const setting = useSetting(wallet, record.transaction);
  const kept = readKeptHash(record.id);
  const isTried = useRef(false);
  const { submit } = submission;
  // A closed tab or a lost connection loses no hash.
  useEffect(() => {
    if (kept === undefined || isTried.current) return;
    isTried.current = true;
    void submit(kept);
  });

  async function sign() {
    if (wallet === undefined) return;
    isTried.current = true;
    setSigning(true);
    setFailure(undefined);
    const { id, transaction } = record;
    const sent = await signTransaction(wallet, { id, chain: reading.chain, transaction });
    setSigning(false);
    if ("failure" in sent) setFailure(FAILURES[sent.failure]);
    else await submit(sent.hash);
  }

  const isBusy = isSigning || submission.isPending;
  const isOther = setting === "other-account";
  return (
    <>
      <div className="body">
        <Read record={record} reading={reading} />
        <WalletChoice wallets={wallets} chosen={wallet} choose={choose} />
        <WalletNote wallet={wallet} setting={setting} from={record.transaction.from} />
        {failure && (
          <p className="note bad" role="alert">
            <Icon name="warning" />
            <span>{failure}</span>
          </p>
        )}
        {submission.error && <ErrorNote error={submission.error} />}
        {isByHand && <HashForm submit={(hash) => void submit(hash)} isPending={isBusy} />}
      </div>
      <footer>
        <span className="start">
          {!isByHand && (
            <button type="button" className="link" onClick={() => setByHand(true)}>
              Signed elsewhere? Submit the hash
            </button>
          )}
        </span>
        <Button className="button" onPress={close}>
          Not now
        </Button>
        {kept === undefined ? (
          wallet && (
            <button
              type="button"
              className="button primary"
              disabled={isBusy || isOther}
              onClick={() => void sign()}
            >
              {isSigning ? "Waiting for the wallet" : `Sign with ${wallet.name || "the wallet"}`}
            </button>
          )
        ) : (
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => void submit(kept)}
          >
            Submit the signed transaction
          </button>
        )}
      </footer>
    </>
  );
}

function Content({
  record,
  verb,
  place,
  close,
  done,
}: {
  record: ToSign;
  verb: string;
  place: string | undefined;
  close: () => void;
  done: () => void;
}) {
  const reading = useReading(record);
  const isRight = reading && isAsRecorded(record, reading.transfer, reading.amount);
  return (
    <>
      <header>
        <div>
          <Heading slot="title">
            {reading === undefined
              ? `${verb} money`
              : `${verb} ${formatMoved(reading.amount)} ${reading.symbol}`}
          </Heading>
          <p className="quiet">
            {place && <span className="faint">{place}. </span>}
            {record.about}
          </p>
        </div>
        <Button className="copy" aria-label="Close" onPress={close}>
          <Icon name="cross" />
        </Button>
      </header>
      {isRight ? (
        <SignBody record={record} reading={reading} close={close} done={done} />
      ) : (
        <div className="body">
          {reading !== undefined && (
            <p className="note bad" role="alert">
              <Icon name="warning" />
              <span>
                The transaction does not do what the record says. Do not sign it, and tell an
                operator.
              </span>
            </p>
          )}
        </div>
      )}
    </>
  );
}

/** One record after the other, until all are signed or the person stops. */
export function SignDialog({
  records,
  verb,
  close,
}: {
  records: readonly ToSign[];
  verb: string;
  close: () => void;
}) {
  // The list behind it loses each record that is signed.
  const [queue] = useState(records);
  const [at, setAt] = useState(0);
  const record = queue[at];
  if (record === undefined) return null;
  const isLast = at === queue.length - 1;
  return (
    <ModalOverlay className="scrim" isOpen isDismissable onOpenChange={close}>
      <Modal className="dialog">
        <Dialog>
          <Content
            key={record.id}
            record={record}
            verb={verb}
            place={queue.length > 1 ? `${at + 1} of ${queue.length}` : undefined}
            close={close}
            done={() => (isLast ? close() : setAt(at + 1))}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
