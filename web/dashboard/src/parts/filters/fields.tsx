// The fields of a control, in a form of its own or among others.
import { nameEndpoint, useEndpoints } from "../../api/endpoints.ts";
import { useChains, useTokens } from "../../api/queries.ts";
import { shortenId } from "../id.tsx";
import type { Control, FilterValues } from "./controls.ts";
import { describePeriod, toDay, toTime } from "./days.ts";

/** Networks, tokens and endpoints are chosen by name. */
function useChoices({ name, choices }: Control): Control["choices"] {
  const chains = useChains();
  const tokens = useTokens(name === "currency");
  const endpoints = useEndpoints(name === "endpointId").data?.body.data ?? [];
  if (name === "endpointId") return endpoints.map((one) => [one.id, nameEndpoint(one)]);
  if (name === "chainId") return chains.map((chain) => [String(chain.chainId), chain.name]);
  if (name !== "currency") return choices;
  const named = tokens.map(({ address, symbol, chainId }) => {
    const chain = chains.find((one) => one.chainId === chainId)?.name;
    return [address, chain === undefined ? symbol : `${symbol} on ${chain}`] as const;
  });
  return [["native", "Coin of the network"], ...named];
}

function describeRange(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return to && `up to ${to}`;
  return to === undefined ? `from ${from}` : `${from} to ${to}`;
}

/** The chosen values as words; undefined for none. */
export function useDescription(control: Control, values: FilterValues): string | undefined {
  const choices = useChoices(control);
  const [begin, end] = control.filters.map((filter) => values[filter]);
  if (control.kind === "period") return describePeriod(begin, end);
  if (control.kind === "range") return describeRange(begin, end);
  if (begin === undefined) return undefined;
  const words = new Map(choices.map(([value, word]) => [value.toLowerCase(), word]));
  const chosen = control.kind === "choices" ? begin.split(",") : [begin];
  return chosen.map((value) => words.get(value.toLowerCase()) ?? shortenId(value)).join(" or ");
}

type Change = Record<string, string | undefined>;

function readText(form: FormData, name: string): string | undefined {
  const text = String(form.get(name) ?? "").trim();
  return text === "" ? undefined : text;
}

/** What a submitted form says of a control. */
export function readControl({ kind, filters }: Control, form: FormData): Change {
  const [first = "", second = ""] = filters;
  if (kind === "choices") return { [first]: form.getAll(first).join(",") || undefined };
  if (kind === "period") {
    return {
      [first]: toTime(readText(form, first), 0),
      [second]: toTime(readText(form, second), 1),
    };
  }
  return Object.fromEntries(filters.map((filter) => [filter, readText(form, filter)]));
}

interface FieldsProps {
  control: Control;
  values: FilterValues;
  /** Whether other controls are in the same form. */
  isCompact?: boolean;
}

function Choices({ control, values, choices }: FieldsProps & { choices: Control["choices"] }) {
  const { label, kind, filters } = control;
  const [filter = ""] = filters;
  const value = values[filter];
  const chosen = (kind === "choices" ? value?.split(",") : value && [value]) ?? [];
  return (
    <fieldset>
      <legend>{label}</legend>
      {choices.map(([one, word]) => (
        <label key={one} className="choice">
          <input
            type={kind === "choices" ? "checkbox" : "radio"}
            name={filter}
            value={one}
            defaultChecked={chosen.includes(one)}
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}

function Ends({ control: { kind, label, filters }, values, isCompact }: FieldsProps) {
  const [first = "", second = ""] = filters;
  const isPeriod = kind === "period";
  const shared = {
    className: "field",
    type: isPeriod ? "date" : "text",
    inputMode: isPeriod ? undefined : ("decimal" as const),
  };
  return (
    <>
      <label>
        {isCompact ? `${label} from` : "From"}
        <input
          {...shared}
          name={first}
          defaultValue={isPeriod ? toDay(values[first], 0) : values[first]}
        />
      </label>
      <label>
        {isCompact ? `${label} to` : "To"}, included
        <input
          {...shared}
          name={second}
          defaultValue={isPeriod ? toDay(values[second], -1) : values[second]}
        />
      </label>
    </>
  );
}

function Select({
  control: { label, filters },
  values,
  choices,
}: FieldsProps & { choices: Control["choices"] }) {
  const [filter = ""] = filters;
  return (
    <label>
      {label}
      <select className="field" name={filter} defaultValue={values[filter] ?? ""}>
        <option value="">Any</option>
        {choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

function Text({ control: { label, hint, filters }, values }: FieldsProps) {
  const [filter = ""] = filters;
  return (
    <label>
      {label}
      <input className="field" name={filter} defaultValue={values[filter]} />
      {hint !== undefined && <span className="tip">{hint}</span>}
    </label>
  );
}

export function Fields(props: FieldsProps) {
  const { control, isCompact = false } = props;
  const choices = useChoices(control);
  if (control.kind === "period" || control.kind === "range") return <Ends {...props} />;
  if (choices.length === 0) return <Text {...props} />;
  const isList = control.kind === "choices" || !isCompact;
  return isList ? (
    <Choices {...props} choices={choices} />
  ) : (
    <Select {...props} choices={choices} />
  );
}
