// Whether a Docker engine answers where Docker's own client looks for one.
import { request } from "node:http";

const PING_MS = 1_000;

export function hasDocker(address = process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock") {
  const { protocol, hostname, port, pathname } = new URL(address);
  const target = protocol === "unix:" ? { socketPath: pathname } : { hostname, port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: "/_ping", timeout: PING_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("timeout", () => ping.destroy());
    ping.on("error", () => resolve(false));
    ping.end();
  });
}
