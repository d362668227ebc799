// What shoppers see of the shop: a form, and beside it the checkout as it would be.
import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { type Settings, useSaveSettings, useSettings } from "../../api/project.ts";
import { hasScope, useWorkspace, WorkspaceContext } from "../../api/session.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldFault, FormFault } from "../../parts/field-fault.tsx";
import { ReadOnly } from "../../parts/read-only.tsx";
import { Loaded } from "../../parts/states.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { Unsaved } from "../../parts/unsaved.tsx";
import { useForm } from "../../parts/use-form.ts";
import { ColorNote } from "./color-note.tsx";
import { COLOR, type Design, FIELDS, type Field, readDesign, toBranding } from "./design.ts";
import { Preview } from "./preview.tsx";

const FORM = "branding";
const LABELS: Record<Field, string> = {
  displayName: "Shop name",
  primaryColor: "Colour",
  logoUrl: "Logo",
  theme: "Theme",
  supportUrl: "Help page",
};

function useDesign(settings: Settings) {
  const [warning, setWarning] = useState<string>();
  const save = useSaveSettings();
  const form = useForm<Design>(readDesign(settings), async (changes) => {
    setWarning(undefined);
    const { headers } = await save((now) => ({
      branding: toBranding({ ...readDesign(now), ...changes }),
    }));
    setWarning(headers.get("X-Service-Warning") ?? undefined);
  });
  return { ...form, warning: form.isSaved ? warning : undefined };
}

type Form = ReturnType<typeof useDesign>;

function ColorField({ form: { values, change, error } }: { form: Form }) {
  const { primaryColor, theme } = values;
  return (
    <div className="labelled">
      <label htmlFor="primaryColor">{LABELS.primaryColor}</label>
      <span className="field">
        <input
          type="color"
          className="swatch"
          aria-label="Pick a colour"
          value={COLOR.test(primaryColor) ? primaryColor.toLowerCase() : "#000000"}
          onChange={(event) => change("primaryColor", event.target.value.toUpperCase())}
        />
        <input
          id="primaryColor"
          className="bare mono"
          name="primaryColor"
          pattern="#[0-9A-Fa-f]{6}"
          title="# and six digits"
          placeholder="#1D3B34"
          autoComplete="off"
          spellCheck={false}
          value={primaryColor}
          onChange={(event) => change("primaryColor", event.target.value)}
        />
      </span>
      <ColorNote color={primaryColor} theme={theme} />
      <FieldFault error={error} field="branding.primaryColor" label={LABELS.primaryColor} />
    </div>
  );
}

function LogoTip({ form: { values, saved, warning }, isShown }: { form: Form; isShown: boolean }) {
  if (warning !== undefined) {
    return (
      <span className="tip heed" role="status">
        {warning.replace("branding.logoUrl", "The logo")}
      </span>
    );
  }
  if (values.logoUrl.trim() !== saved.logoUrl && values.logoUrl !== "") {
    return <span className="tip">It is read, and shown here, when you save.</span>;
  }
  if (saved.logoUrl !== "" && !isShown) {
    return <span className="tip heed">It could not be read, so no logo is shown.</span>;
  }
  return (
    <span className="tip">
      Address of a PNG, JPEG or WebP up to 100 kB. Kept here, so that shoppers ask no one else.
    </span>
  );
}

function Fields({ form, settings }: { form: Form; settings: Settings }) {
  const { values, error, submit } = form;
  const canWrite = hasScope(useWorkspace(), "projects:write");
  function name(field: Field) {
    return { form, name: field, field: `branding.${field}`, label: LABELS[field] };
  }

  return (
    <form
      id={FORM}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset className="form plain" disabled={!canWrite}>
        <TextField {...name("displayName")} placeholder={settings.name} maxLength={60} />
        <ColorField form={form} />
        <TextField {...name("logoUrl")} type="url" placeholder="https://">
          <LogoTip form={form} isShown={settings.logoUrl !== null} />
        </TextField>
        <ChoiceField
          {...name("theme")}
          of={[
            ["", "As the shopper’s device"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
        />
        <TextField {...name("supportUrl")} type="url" placeholder="https://">
          <span className="tip">
            Linked from every page as “Ask {values.displayName.trim() || settings.name}”.
          </span>
        </TextField>
      </fieldset>
      <FormFault error={error} fields={FIELDS.map((field) => `branding.${field}`)} />
    </form>
  );
}

function Content({ settings }: { settings: Settings }) {
  const form = useDesign(settings);
  const { saved, values: design, isChanged, isSaving, discard } = form;
  const canWrite = hasScope(useWorkspace(), "projects:write");
  const hasSavedLogo = design.logoUrl.trim() === saved.logoUrl;
  const logoUrl = hasSavedLogo ? settings.logoUrl : null;
  return (
    <>
      <div className="page-head">
        <h1>Branding</h1>
        {canWrite && (
          <div className="end">
            <button
              type="button"
              className="button"
              disabled={!isChanged || isSaving}
              onClick={discard}
            >
              Discard
            </button>
            <button
              type="submit"
              form={FORM}
              className="button primary"
              disabled={!isChanged || isSaving}
            >
              Save
            </button>
          </div>
        )}
      </div>
      <p className="quiet gap-1">What your shoppers see. The preview is the real page.</p>
      {!canWrite && <ReadOnly what="the branding" />}
      <div className="brand">
        <Fields form={form} settings={settings} />
        <Preview design={design} project={{ name: settings.name, logoUrl }} />
      </div>
      <Unsaved isChanged={isChanged} />
    </>
  );
}

function Branding() {
  const query = useSettings();
  return (
    <>
      <title>Branding</title>
      <Loaded query={query} what="the branding">
        {({ body }) => <Content settings={body} />}
      </Loaded>
    </>
  );
}

/** One design for both modes, which the live role opens. */
function BrandingPage() {
  const workspace = useWorkspace();
  return (
    <WorkspaceContext value={{ ...workspace, mode: "live" }}>
      <Branding />
    </WorkspaceContext>
  );
}

export const Route = createLazyRoute("/branding")({ component: BrandingPage });
