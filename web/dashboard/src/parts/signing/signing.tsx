import { type ComponentProps, lazy, Suspense } from "react";

/** Wallets and transactions are loaded when somebody signs. */
const Dialog = lazy(async () => ({ default: (await import("./sign-dialog.tsx")).SignDialog }));

export function SignDialog(props: ComponentProps<typeof Dialog>) {
  return (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}
