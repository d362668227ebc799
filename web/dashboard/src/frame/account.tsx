import { useNavigate } from "@tanstack/react-router";
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from "react-aria-components";
import { leave } from "../api/own.ts";
import type { Session } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";

function findInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const letters = [words.at(0), words.length > 1 ? words.at(-1) : undefined];
  return letters.map((word) => (word ?? "").charAt(0).toUpperCase()).join("");
}

export function Account({ session }: { session: Session }) {
  const { name, email } = session.member;
  const navigate = useNavigate();
  return (
    <MenuTrigger>
      <Button className="me" aria-label={`${findInitials(name || email)}, account of ${name}`}>
        {findInitials(name || email)}
      </Button>
      <Popover className="menu" placement="bottom end">
        <Menu aria-label="Account">
          <MenuSection>
            <Header>
              <b>{name}</b>
              <span>{email}</span>
            </Header>
            <MenuItem onAction={() => void navigate({ to: "/account" })}>
              <Icon name="person" />
              Your account
            </MenuItem>
            {session.methods.passkey && (
              <MenuItem onAction={() => void navigate({ to: "/account", hash: "passkeys" })}>
                <Icon name="key" />
                {session.hasPasskey ? "Passkeys" : "Add a passkey"}
              </MenuItem>
            )}
            <MenuItem onAction={() => void leave(session)}>
              <Icon name="signOut" />
              Sign out
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
