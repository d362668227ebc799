import { createLazyRoute } from "@tanstack/react-router";
import { MembersPage } from "./members.tsx";

export const Route = createLazyRoute("/members")({ component: MembersPage });
