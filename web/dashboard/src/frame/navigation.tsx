// The navigation at the side, and at the bottom of a phone.
import { Link, useNavigate } from "@tanstack/react-router";
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from "react-aria-components";
import { useNeedsCount } from "../api/needs.ts";
import { Icon } from "../parts/icon.tsx";
import { FIRST, GROUPS, type Place } from "./places.ts";

function PlaceLink({
  place: { to, name, icon },
  count,
}: {
  place: Place;
  count: string | undefined;
}) {
  return (
    <Link to={to} activeOptions={{ exact: to === "/" }} activeProps={{ "aria-current": "page" }}>
      <Icon name={icon} />
      {name}
      {to === "/needs" && count !== undefined && (
        <span className="count">
          {count}
          <span className="hidden-text"> waiting</span>
        </span>
      )}
    </Link>
  );
}

export function Navigation() {
  const count = useNeedsCount();
  return (
    <nav aria-label="Main">
      {GROUPS.map(({ name, places }) => (
        <div key={name ?? ""}>
          {name !== undefined && <p className="head">{name}</p>}
          <ul>
            {places.map((place) => (
              <li key={place.to}>
                <PlaceLink place={place} count={count} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function More() {
  const navigate = useNavigate();
  const rest = GROUPS.map(({ name, places }) => ({
    name,
    places: places.filter(({ to }) => !FIRST.has(to)),
  })).filter(({ places }) => places.length > 0);
  return (
    <MenuTrigger>
      <Button>
        <Icon name="menu" />
        More
      </Button>
      <Popover className="menu" placement="top end">
        <Menu aria-label="More pages">
          {rest.map(({ name, places }) => (
            <MenuSection key={name}>
              <Header>{name}</Header>
              {places.map(({ to, name: title, icon }) => (
                <MenuItem key={to} onAction={() => void navigate({ to })}>
                  <Icon name={icon} />
                  {title}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

export function BottomBar() {
  const count = useNeedsCount();
  const places = GROUPS.flatMap((group) => group.places).filter(({ to }) => FIRST.has(to));
  return (
    <nav className="bottom" aria-label="Main">
      {places.map((place) => (
        <PlaceLink key={place.to} place={place} count={count} />
      ))}
      <More />
    </nav>
  );
}
