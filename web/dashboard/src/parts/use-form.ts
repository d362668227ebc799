// A form over saved values, which a colleague may change meanwhile: what is not touched follows them.
import { useState } from "react";

export function useForm<Values extends Readonly<Record<string, string>>>(
  saved: Values,
  save: (changes: Partial<Values>) => Promise<unknown>,
) {
  const [changes, setChanges] = useState<Partial<Values>>({});
  const [error, setError] = useState<Error>();
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const values = { ...saved, ...changes };
  const isChanged = Object.keys(values).some((name) => values[name]?.trim() !== saved[name]);
  function change(name: keyof Values, value: string) {
    setChanges({ ...changes, [name]: value });
    setError(undefined);
    setSaved(false);
  }

  async function submit() {
    setSaving(true);
    setError(undefined);
    try {
      await save(changes);
      setChanges({});
      setSaved(true);
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setSaving(false);
    }
  }

  function discard() {
    setChanges({});
    setError(undefined);
  }

  return { saved, values, isChanged, isSaving, isSaved, error, change, submit, discard };
}
