import { test } from "@jest/globals";
import { describeWithPostgres, expectKeysOfProjects, expectNoDrift } from "@pay/testing";

describeWithPostgres("the database of the gateway", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/gateway"));

  test("its keys begin with the project", () =>
    expectKeysOfProjects("services/gateway", {
      "api_keys.api_keys_digest_key": "a request names its key by the digest alone",
      member_sessions:
        "a member is of several projects, and a cookie names its sign-in by the digest alone",
      identities: "a sign-in names its member by the account at the provider alone",
      members: "a member is of several projects",
      mails: "a mail goes to a member, who is of several projects",
      "invitations.invitations_digest_key": "a request names its invitation by the digest alone",
      one_time_links: "a link names its member by the digest alone",
      passkeys: "a sign-in names its member by the passkey alone",
      used_challenges: "a challenge is of a sign-in, before its member is known",
      recovery_codes: "a recovery names its code by the digest alone",
      projects: "a row is a project",
      "sessions.sessions_digest_key": "a request names its session by the digest alone",
    }));
});
