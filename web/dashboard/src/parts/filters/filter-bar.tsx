import { type ReactNode, useState } from "react";
import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { Icon } from "../icon.tsx";
import { type Control, type FilterValues, isSet } from "./controls.ts";
import { Fields, readControl, useDescription } from "./fields.tsx";
import { SavedViews } from "./saved-views.tsx";

export type ChangeFilters = (change: Record<string, string | undefined>) => void;

interface BarProps {
  controls: readonly Control[];
  /** Names of controls that are always in sight, in their order. */
  first: readonly string[];
  values: FilterValues;
  change: ChangeFilters;
  children: ReactNode;
}

function FilterForm({
  controls,
  values,
  change,
  close,
}: Pick<BarProps, "controls" | "values" | "change"> & { close: () => void }) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        change(Object.assign({}, ...controls.map((control) => readControl(control, form))));
        close();
      }}
    >
      <div className="fields">
        {controls.map((control) => (
          <Fields
            key={control.name}
            control={control}
            values={values}
            isCompact={controls.length > 1}
          />
        ))}
      </div>
      <button type="submit" className="button primary">
        Apply
      </button>
    </form>
  );
}

function FilterDialog({
  label,
  isWide = false,
  trigger,
  children,
}: {
  label: string;
  isWide?: boolean;
  trigger: ReactNode;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      {trigger}
      <Popover
        className={isWide ? "menu filter-box wide" : "menu filter-box"}
        placement="bottom start"
      >
        <Dialog aria-label={label}>{children(() => setOpen(false))}</Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function Chip({
  control,
  values,
  change,
}: Pick<BarProps, "values" | "change"> & { control: Control }) {
  const { label, filters } = control;
  const value = useDescription(control, values);
  return (
    <span className="chip">
      {value !== undefined && (
        <button
          type="button"
          className="filter clear"
          aria-label={`Clear ${label}`}
          onClick={() => change(Object.fromEntries(filters.map((filter) => [filter, undefined])))}
        >
          <Icon name="cross" isSmall />
        </button>
      )}
      <FilterDialog
        label={`Filter by ${label}`}
        trigger={
          <Button className={value === undefined ? "filter" : "filter set"}>
            {value === undefined ? (
              <>
                <Icon name="plus" isSmall />
                {label}
              </>
            ) : (
              <>
                {label}: <b>{value}</b>
              </>
            )}
          </Button>
        }
      >
        {(close) => (
          <FilterForm controls={[control]} values={values} change={change} close={close} />
        )}
      </FilterDialog>
    </span>
  );
}

export function FilterBar({ controls, first, values, change, children }: BarProps) {
  const always = first.flatMap((name) => controls.find((control) => control.name === name) ?? []);
  const others = controls.filter((control) => !always.includes(control));
  const shown = [...always, ...others.filter((control) => isSet(control, values))];
  const hidden = others.filter((control) => !isSet(control, values));
  return (
    <div className="filters">
      {shown.map((control) => (
        <Chip key={control.name} control={control} values={values} change={change} />
      ))}
      {hidden.length > 0 && (
        <FilterDialog
          label="More filters"
          isWide
          trigger={
            <Button className="filter">
              <Icon name="plus" isSmall />
              More
            </Button>
          }
        >
          {(close) => (
            <FilterForm controls={hidden} values={values} change={change} close={close} />
          )}
        </FilterDialog>
      )}
      <SavedViews controls={controls} values={values} />
      <span className="end">{children}</span>
    </div>
  );
}
