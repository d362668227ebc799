import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from "react-aria-components";
import { signOut } from "../api/request.ts";
import type { Session } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";

function findInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const letters = [words.at(0), words.length > 1 ? words.at(-1) : undefined];
  return letters.map((word) => (word ?? "").charAt(0).toUpperCase()).join("");
}

async function leave(session: Session): Promise<void> {
  await signOut(session);
  location.assign("/dashboard/sign-in");
}

export function Account({ session }: { session: Session }) {
  const { name, email } = session.member;
  return (
    <MenuTrigger>
      <Button className="me" aria-label={`${findInitials(name || email)}, account of ${name}`}>
        {findInitials(name || email)}
      </Button>
      <Popover className="menu" placement="bottom end">
        <Menu aria-label="Account" onAction={() => void leave(session)}>
          <MenuSection>
            <Header>
              <b>{name}</b>
              <span>{email}</span>
            </Header>
            <MenuItem id="sign-out">
              <Icon name="signOut" />
              Sign out
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
