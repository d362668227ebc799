// Who is told of what waits for a person.
import { type Settings, useSaveSettings } from "../../api/project.ts";
import { useForm } from "../../parts/use-form.ts";
import { Group, Lines, mergeLines, splitLines } from "./group.tsx";

type Notice = Settings["notices"][number];

function formatNotice({ url, email, kinds }: Notice): string {
  return [url ?? email, ...kinds].join(" ");
}

function parseNotice(line: string) {
  const [target = "", ...kinds] = line.split(/[\s,]+/);
  return { ...(target.includes("://") ? { url: target } : { email: target }), kinds };
}

export function Notices({ settings, canWrite }: { settings: Settings; canWrite: boolean }) {
  const save = useSaveSettings();
  const before = settings.notices.map(formatNotice);
  const form = useForm({ notices: before.join("\n") }, ({ notices = "" }) =>
    save((now) => {
      const after = { before, after: splitLines(notices) };
      return { notices: mergeLines(now.notices.map(formatNotice), after).map(parseNotice) };
    }),
  );
  return (
    <Group
      title="Notices"
      about="Who is told of what newly waits on the page Needs you: of each thing once, at most every hour."
      form={form}
      fields={["notices"]}
      canWrite={canWrite}
    >
      <Lines
        form={form}
        name="notices"
        label="Told"
        tip="One in each line, at most 10: the e-mail address of a member, or an https address that gets a POST. Kinds may follow, e.g. refund_signature part; without them it is all."
      />
    </Group>
  );
}
