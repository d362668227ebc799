// The logos of projects. A logo counts while its project names the address that it was read at, so that of two changes
// at once the logo of the one that won is shown.
import type { Pool } from "pg";
import type { Image } from "./image.ts";

const SAVE = {
  name: "save-logo",
  text: `
    insert into logos (project_id, source_url, digest, type, content)
    select id, $2, $3, $4, $5 from projects where id = $1 and branding_config->>'logoUrl' = $2
    on conflict (project_id) do update set source_url = excluded.source_url,
      digest = excluded.digest, type = excluded.type, content = excluded.content`,
};

export async function saveLogo(
  pool: Pool,
  { projectId, sourceUrl }: { projectId: string; sourceUrl: string },
  { digest, type, content }: Image,
): Promise<void> {
  await pool.query({ ...SAVE, values: [projectId, sourceUrl, digest, type, content] });
}

const DROP = {
  name: "drop-other-logo",
  text: `
    delete from logos where project_id = $1 and not exists (
      select from projects where id = $1 and branding_config->>'logoUrl' = logos.source_url)`,
};

/** What the project no longer names. */
export async function dropOtherLogo(pool: Pool, projectId: string): Promise<void> {
  await pool.query({ ...DROP, values: [projectId] });
}

const FIND_DIGEST = {
  name: "find-logo-digest",
  text: `
    select logo.digest from logos logo join projects project on project.id = logo.project_id
    where logo.project_id = $1 and project.branding_config->>'logoUrl' = logo.source_url`,
};

/** In hex; undefined where the project has no logo that can be shown. */
export async function findLogoDigest(pool: Pool, projectId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ digest: Buffer }>({ ...FIND_DIGEST, values: [projectId] });
  return rows[0]?.digest.toString("hex");
}

const FIND_LOGO = {
  name: "find-logo-by-digest",
  text: "select type, content from logos where digest = $1 limit 1",
};

/** For the page of any shopper: who knows the digest knows the logo, which is public. */
export async function findLogo(
  pool: Pool,
  digest: string,
): Promise<Pick<Image, "type" | "content"> | undefined> {
  const { rows } = await pool.query<Pick<Image, "type" | "content">>({
    ...FIND_LOGO,
    values: [Buffer.from(digest, "hex")],
  });
  return rows[0];
}
