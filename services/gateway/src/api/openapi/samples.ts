// One call of an operation as programs in six languages: each is whole and works as it is printed, once the key and the
// ids of the path are in the environment.

export interface Sampled {
  operationId: string;
  method: string;
  path: string;
  serverUrl: string;
  key: "secret" | "publishable";
  /** Whether it says which shape of the interface it wants. */
  hasVariant: boolean;
  body: unknown;
}

export interface Sample {
  label: string;
  source: string;
}

/** What every language needs to know. */
interface Parts {
  method: string;
  /** Texts of the address, and the variables between them. */
  address: readonly (string | { variable: string })[];
  header: string;
  variable: string;
  /** Headers with the same value for everyone. */
  fixed: readonly (readonly [name: string, value: string])[];
  json: string | undefined;
}

const KEYS = {
  secret: { header: "X-Secret-Key", variable: "SECRET_KEY", option: "secretKey" },
  publishable: {
    header: "X-Publishable-Key",
    variable: "PUBLISHABLE_KEY",
    option: "publishableKey",
  },
};

export function buildSamples(sampled: Sampled): Sample[] {
  const { method, path, serverUrl, key, hasVariant, body } = sampled;
  const address = (serverUrl.replace(/\/$/, "") + path)
    .split(/(\{\w+\})/)
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? { variable: getVariable(part.slice(1, -1)) } : part));
  const json = body === undefined ? undefined : JSON.stringify(body, null, 2);
  const fixed: [string, string][] = [
    ...(hasVariant ? [["X-Service-Variant", "primary"] as [string, string]] : []),
    ...(json === undefined ? [] : [["Content-Type", "application/json"] as [string, string]]),
  ];
  const parts = { method: method.toUpperCase(), address, ...KEYS[key], fixed, json };
  return [
    { label: "curl", source: curl(parts) },
    { label: "TypeScript", source: typescript(sampled, json) },
    { label: "Python", source: python(parts) },
    { label: "PHP", source: php(parts) },
    { label: "Go", source: go(parts) },
    { label: "Ruby", source: ruby(parts) },
  ];
}

/** E.g. DELIVERY_ID. */
function getVariable(name: string): string {
  return name.replace(/[A-Z]/g, (one) => `_${one}`).toUpperCase();
}

function joined(
  { address }: Pick<Parts, "address">,
  operator: string,
  read: (name: string) => string,
) {
  return address
    .map((part) => (typeof part === "string" ? JSON.stringify(part) : read(part.variable)))
    .join(operator);
}

function curl({ method, address, header, variable, fixed, json }: Parts): string {
  const url = address.map((part) => (typeof part === "string" ? part : `$${part.variable}`));
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url.join("")}"`,
    `-H "${header}: $${variable}"`,
    ...fixed.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(json === undefined ? [] : [`-d '${json.replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(" \\\n  ");
}

function typescript({ operationId, path, serverUrl, key }: Sampled, json: string | undefined) {
  const { option, variable } = KEYS[key];
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const read = `process.env.${getVariable(name)}`;
    return name === "chainId" ? `Number(${read})` : `${read} ?? ""`;
  });
  const given = [...ids, ...(json === undefined ? [] : [json])].join(", ");
  return `import { createPay } from "@pay/sdk";

const pay = createPay({
  baseUrl: ${JSON.stringify(serverUrl)},
  ${option}: process.env.${variable} ?? "",
});
${isWalked(operationId) ? `const pages = pay.${operationId}(${given});\nconsole.log(await pages.page());` : `console.log(await pay.${operationId}(${given}));`}`;
}

/** Lists of chains and tokens are whole; all others have pages. */
function isWalked(operationId: string): boolean {
  return operationId.endsWith(".list") && !/^(chains|tokens)\./.test(operationId);
}

function python(parts: Parts): string {
  const { method, header, variable, fixed, json } = parts;
  const url = joined(parts, " + ", (name) => `os.environ["${name}"]`);
  return `import os
import urllib.request

request = urllib.request.Request(
    ${url},
    method="${method}",
    headers={"${header}": os.environ["${variable}"]${fixed.map(([name, value]) => `, "${name}": "${value}"`).join("")}},
${json === undefined ? "" : `    data=r"""${json}""".encode(),\n`})
with urllib.request.urlopen(request, timeout=30) as response:
    print(response.read().decode())`;
}

function php(parts: Parts): string {
  const { method, header, variable, fixed, json } = parts;
  const url = joined(parts, " . ", (name) => `getenv("${name}")`);
  const text = json?.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `<?php
$request = curl_init(${url});
curl_setopt_array($request, [
    CURLOPT_CUSTOMREQUEST => "${method}",
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 30,
    CURLOPT_HTTPHEADER => ["${header}: " . getenv("${variable}")${fixed.map(([name, value]) => `, "${name}: ${value}"`).join("")}],
${text === undefined ? "" : `    CURLOPT_POSTFIELDS => '${text}',\n`}]);
echo curl_exec($request);`;
}

function go(parts: Parts): string {
  const { method, header, variable, fixed, json } = parts;
  const url = joined(parts, " + ", (name) => `os.Getenv("${name}")`);
  const imports = [
    "fmt",
    "io",
    "net/http",
    "os",
    ...(json === undefined ? [] : ["strings"]),
    "time",
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join("\n")}
)

func main() {
\trequest, err := http.NewRequest("${method}", ${url}, ${json === undefined ? "nil" : `strings.NewReader(\`${json}\`)`})
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set("${header}", os.Getenv("${variable}"))
${fixed.map(([name, value]) => `\trequest.Header.Set("${name}", "${value}")\n`).join("")}\tclient := http.Client{Timeout: 30 * time.Second}
\tresponse, err := client.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()
\tanswer, err := io.ReadAll(response.Body)
\tif err != nil {
\t\tpanic(err)
\t}
\tfmt.Println(string(answer))
}`;
}

const RUBY: Record<string, string> = { GET: "Get", POST: "Post", PUT: "Put", DELETE: "Delete" };

function ruby(parts: Parts): string {
  const { method, header, variable, fixed, json } = parts;
  const url = joined(parts, " + ", (name) => `ENV.fetch("${name}")`);
  const text = json?.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `require "net/http"

uri = URI(${url})
request = Net::HTTP::${RUBY[method]}.new(uri)
request["${header}"] = ENV.fetch("${variable}")
${fixed.map(([name, value]) => `request["${name}"] = "${value}"\n`).join("")}${text === undefined ? "" : `request.body = '${text}'\n`}options = { use_ssl: uri.scheme == "https", open_timeout: 30, read_timeout: 30 }
response = Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
puts response.body`;
}
