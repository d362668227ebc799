// The identity provider that the shop's customers sign in with.
import { type Settings, useSaveSettings } from "../../api/project.ts";
import { TextField } from "../../parts/text-field.tsx";
import { useForm } from "../../parts/use-form.ts";
import { Group } from "./group.tsx";

const FIELDS = {
  issuer: { label: "Issuer", tip: "Address of the provider, as its tokens name it." },
  audience: { label: "Audience", tip: "The client id under which tokens are made for your shop." },
  jwksUrl: { label: "Keys", tip: "Only for a provider without a discovery document." },
} as const;

type Field = keyof typeof FIELDS;
type Provider = Record<Field, string>;

const NAMES = Object.keys(FIELDS) as Field[];

function readProvider({ sso }: Settings): Provider {
  return { issuer: sso?.issuer ?? "", audience: sso?.audience ?? "", jwksUrl: sso?.jwksUrl ?? "" };
}

/** A provider without a name is none. */
function toSso({ issuer, audience, jwksUrl }: Provider) {
  const isNone = [issuer, audience, jwksUrl].every((text) => text.trim() === "");
  if (isNone) return null;
  return { issuer: issuer.trim(), audience: audience.trim(), jwksUrl: jwksUrl.trim() || null };
}

export function SignIn({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const save = useSaveSettings();
  const form = useForm<Provider>(readProvider(settings), (changes) =>
    save((now) => ({ sso: toSso({ ...readProvider(now), ...changes }) })),
  );
  return (
    <Group
      title="Sign-in of customers"
      about="With an OpenID Connect provider, customers of your shop see their own payments. Empty fields end it."
      form={form}
      fields={["sso", ...NAMES.map((name) => `sso.${name}`)]}
      canWrite={canWrite}
    >
      {NAMES.map((name) => (
        <TextField
          key={name}
          form={form}
          name={name}
          field={`sso.${name}`}
          label={FIELDS[name].label}
          spellCheck={false}
        >
          <span className="tip">{FIELDS[name].tip}</span>
        </TextField>
      ))}
    </Group>
  );
}
