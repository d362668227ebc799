import pg from "pg";

export interface RoleAndDatabase {
  role: string;
  password: string;
  database: string;
}

// The answers of the server when another process created the same object first.
const ALREADY_THERE: ReadonlySet<string> = new Set(["42710", "42P04", "23505"]);
const TIMEOUT_MS = 10_000;

/**
 * A role that owns a database of its own and may connect to no other; made when missing, and the role's password
 * is set to the given one. The address must be that of a role that may create both.
 */
export async function createRoleAndDatabase(
  adminUrl: string,
  { role, password, database }: RoleAndDatabase,
): Promise<void> {
  const client = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: 6 * TIMEOUT_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    const [roleName, databaseName] = [role, database].map(pg.escapeIdentifier);
    await createOnce(
      client,
      "select from pg_roles where rolname = $1",
      role,
      `create role ${roleName}`,
    );
    await client.query(`alter role ${roleName} login password ${pg.escapeLiteral(password)}`);
    // A superuser that is not one (a managed server) must be in the role to make it an owner.
    await client.query(`grant ${roleName} to current_user`).catch(() => {});
    await createOnce(
      client,
      "select from pg_database where datname = $1",
      database,
      `create database ${databaseName} owner ${roleName}`,
    );
    await client.query(`revoke connect on database ${databaseName} from public`);
  } finally {
    await client.end();
  }
}

async function createOnce(client: pg.Client, find: string, name: string, create: string) {
  if ((await client.query(find, [name])).rowCount !== 0) return;
  try {
    await client.query(create);
  } catch (error) {
    if (!ALREADY_THERE.has(String((error as { code?: unknown }).code))) throw error;
  }
}
