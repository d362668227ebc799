import { createLazyRoute } from "@tanstack/react-router";
import { AccountPage } from "./account.tsx";

export const Route = createLazyRoute("/account")({ component: AccountPage });
